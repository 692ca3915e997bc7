#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (!n) return 0;
    char *p = malloc(8u * n);
    if (!p) return 1;
    p[8 * n - 1] = 1;
    return 0;
}
