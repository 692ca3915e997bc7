// run: --sym-stdin 8
#include <stdlib.h>
#include <sys/uio.h>

int main(void) {
    char a[4], *b = malloc(4);
    if (!b) return 1;
    free(b);
    struct iovec v[2] = {{a, 4}, {b, 4}};
    return readv(0, v, 2) != 8; //~ use_after_free
}
