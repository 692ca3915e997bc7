#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *path = strdup("file");
    if (!path) return 1;
    free(path);
    return open(path, O_RDONLY) >= 0; //~ use_after_free
}
