#include <sys/stat.h>
#include <stdlib.h>

int main(void) {
    struct stat *s = malloc(sizeof *s);
    if (!s) return 1;
    return stat("/", s) != 0 || !S_ISDIR(s->st_mode);
}
