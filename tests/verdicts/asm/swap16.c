/* The byte swap of 16 bits that headers have. */
#include "klee/klee.h"
#include <assert.h>
static unsigned short swap(unsigned short x) {
    __asm__("rorw $8, %w0" : "=r"(x) : "0"(x) : "cc");
    return x;
}
static unsigned short exchange(unsigned short x) {
    __asm__("xchgb %b0,%h0" : "=Q"(x) : "0"(x));
    return x;
}
int main(void) {
    unsigned short x = klee_int("x");
    unsigned short y = (unsigned short)(x << 8 | x >> 8);
    assert(swap(x) == y && exchange(x) == y);
    return 0;
}
