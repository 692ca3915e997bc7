/* bytes: 2, finer. binary32: arithmetic that rounds, square roots, remainders. */
#include "klee/klee.h"
#include <math.h>
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    float x = b[0] * 0.5f, y = (signed char)b[1];
    int r = 0;
    if (sqrtf(x) == 7) r |= 1;
    if (x + y * 0.1f == 12.7f) r |= 2;
    if (y != 0 && fmodf(x, y) == 2.5f) r |= 4;
    if (y / 7 == -3) r |= 8;
    return r;
}
