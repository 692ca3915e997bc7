/* A wide argument for a narrow parameter is cut off, before arithmetic looks at it. */
#include "klee/klee.h"
#include <assert.h>
static int g(unsigned x) { return x / 2 < 10 ? 1 : 0; }
static int h(unsigned long x) {
    int (*volatile f)(unsigned long) = (int (*)(unsigned long))g;
    return f(x);
}
int main(void) {
    assert(h(0x700000003UL) == 1);
    unsigned long x = (unsigned long)(unsigned)klee_int("x") << 8;
    assert(h(x) == ((unsigned)x / 2 < 10));
    return 0;
}
