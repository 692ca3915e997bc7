#include <sys/stat.h>
#include <stdlib.h>

int main(void) {
    struct stat *s = malloc(sizeof *s / 2);
    if (!s) return 1;
    return stat("/", s) != 0; //~ out_of_bounds
}
