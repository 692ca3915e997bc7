// No system has room for it: that malloc fails is what happens everywhere.
#include <errno.h>
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    size_t n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n < SIZE_MAX / 4 && n != 8) return 0;
    char *p = malloc(n);
    if (p) return p[7] != 0;
    return errno != ENOMEM;
}
