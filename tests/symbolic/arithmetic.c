/* bytes: 2. Guarded division, remainders, shifts, products. */
#include "klee/klee.h"
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    int x = (signed char)b[0], y = (signed char)b[1], r = 0;
    if (y != 0) {
        if (x / y == 3) r |= 1;
        if (x % y == -2) r |= 2;
        if (b[0] / b[1] > 20) r |= 4;
    } else r = 64;
    if ((b[0] << (b[1] & 7)) == 0x180) r |= 8;
    if ((x >> (b[1] & 7)) == -3) r |= 16;
    if (b[0] * b[1] == 143) r |= 32;
    return r;
}
