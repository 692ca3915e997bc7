/* Rotations by a register. */
#include "klee/klee.h"
#include <assert.h>
static unsigned left(unsigned x, int n) {
    __asm__("roll %%cl,%0" : "=r"(x) : "0"(x), "c"(n));
    return x;
}
static unsigned right(unsigned x, int n) {
    __asm__("rorl %b1,%0" : "+r"(x) : "cI"(n));
    return x;
}
int main(void) {
    unsigned x = klee_int("x");
    int n = klee_range(1, 32, "n");
    assert(left(x, n) == (x << n | x >> (32 - n)));
    assert(right(left(x, n), n) == x);
    return 0;
}
