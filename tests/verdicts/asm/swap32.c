/* Byte swaps of 32 bits: three rotations, and the instruction. */
#include "klee/klee.h"
#include <assert.h>
static unsigned rotations(unsigned x) {
    __asm__("rorw $8, %w0\n\trorl $16, %0\n\trorw $8, %w0" : "=r"(x) : "0"(x) : "cc");
    return x;
}
static unsigned instruction(unsigned x) {
    __asm__("bswap %0" : "+r"(x));
    return x;
}
static unsigned exchanges(unsigned x) {
    __asm__("xchgb %b0,%h0; rorl $16,%0; xchgb %b0,%h0" : "=q"(x) : "0"(x));
    return x;
}
int main(void) {
    unsigned x = klee_int("x"), y = __builtin_bswap32(x);
    assert(rotations(x) == y && instruction(x) == y && exchanges(x) == y);
    return 0;
}
