/* bytes: 2, finer. floor, ceil, trunc, rint and round, with halves and signed zeros. */
#include "klee/klee.h"
#include <math.h>
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    double x = (signed char)b[0] / 4.0, s = b[1] & 1 ? 1 : -0.25;
    double f = floor(x), c = ceil(x), t = trunc(x), n = rint(x), r = round(x * s);
    int out = 0;
    if (f == c) out |= 1;
    if (t != f) out |= 2;
    if (n == 4 && r == 5) out |= 4;
    if (r == 0 && signbit(r)) out |= 8;
    if (c == -3) out |= 16;
    return out;
}
