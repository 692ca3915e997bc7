/* A narrow result that is taken as a wide one is extended with zeros. */
// run: --check memory,assert,div,shift,overlap,scope,varargs,libc
#include "klee/klee.h"
#include <assert.h>
static int g(int x) { return x; }
static unsigned long h(int x) {
    unsigned long (*volatile f)(int) = (unsigned long (*)(int))g;
    return f(x);
}
int main(void) {
    assert(h(5) == 5);
    int x = klee_int("x");
    assert(h(x) == (unsigned)x);
    return 0;
}
