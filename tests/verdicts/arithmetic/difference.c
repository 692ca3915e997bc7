// run: --check assert
/* The difference of pointers that are no whole number of objects apart is shifted, as compilers do. */
#include "klee/klee.h"
#include <assert.h>
#include <stdint.h>
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    static char bytes[600];
    int *p = (int *)(void *)(bytes + 300), *q = (int *)(void *)(bytes + x);
    long shifted = ((intptr_t)q - (intptr_t)p) >> 2;
    assert(q - p == shifted);
    return 0;
}
