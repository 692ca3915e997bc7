/* bytes: 2. Overflow flags, bit counting, rotations, selects. */
#include "klee/klee.h"
int main(void) {
    unsigned char b[2], s;
    klee_make_symbolic(b, sizeof b, "b");
    signed char t;
    int r = 0;
    if (__builtin_add_overflow(b[0], b[1], &s)) r |= 1;
    if (__builtin_mul_overflow((signed char)b[0], (signed char)b[1], &t)) r |= 2;
    if (__builtin_popcount(b[0]) == 7) r |= 4;
    if (__builtin_clz(b[1] | 1) == 24) r |= 8;
    unsigned rot = ((unsigned)b[0] << 3 | b[0] >> 5) & 255;
    if (rot == (unsigned)(b[1] > 100 ? b[1] : 7)) r |= 16;
    return r;
}
