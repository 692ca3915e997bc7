/* bytes: 2, finer. Small numbers: sums and differences that round, cancel, and are exact. */
#include "klee/klee.h"
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    double x = (signed char)b[0] / 8.0, y = (signed char)b[1] * 0.1;
    int r = 0;
    if (x + y == 0.3) r |= 1;
    if (x - y > 20) r |= 2;
    if (x == y) r |= 4;
    if (x + 1e16 == 1e16) r |= 8;
    if (y - x == 0.1) r |= 16;
    return r;
}
