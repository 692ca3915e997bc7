/* A narrow argument for a wide parameter. */
// run: --check memory,assert,div,shift,overlap,scope,varargs,libc
#include "klee/klee.h"
#include <assert.h>
static unsigned long g(unsigned long x) { return x >> 1; }
static unsigned long h(unsigned x) {
    unsigned long (*volatile f)(unsigned) = (unsigned long (*)(unsigned))g;
    return f(x);
}
int main(void) {
    assert(h(9) == 4);
    unsigned x = klee_int("x");
    assert(h(x) == x >> 1);
    return 0;
}
