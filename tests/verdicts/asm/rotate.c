/* Rotations by constants, as hash functions have them. */
#include "klee/klee.h"
#include <assert.h>
static unsigned left(unsigned x) {
    unsigned r;
    __asm__("roll %1,%0" : "=r"(r) : "I"(5), "0"(x) : "cc");
    return r;
}
static unsigned long right(unsigned long x) {
    __asm__("rorq $13, %0" : "+r"(x));
    return x;
}
int main(void) {
    unsigned x = klee_int("x");
    assert(left(x) == (x << 5 | x >> 27));
    unsigned long y = x * 0x100000001UL;
    assert(right(y) == (y >> 13 | y << 51));
    return 0;
}
