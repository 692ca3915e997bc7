/* A wide result that is taken as a narrow one is cut off. */
#include "klee/klee.h"
#include <assert.h>
static long g(long x) { return x + 0x100000000L; }
static int h(long x) {
    int (*volatile f)(long) = (int (*)(long))g;
    return f(x);
}
int main(void) {
    assert(h(5) == 5);
    long x = klee_int("x");
    assert(h(x) == (int)x);
    return 0;
}
