/* bytes: 2, finer. fmin, fmax, copysign, fma, with zeros of both signs. */
#include "klee/klee.h"
#include <math.h>
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    double x = (b[0] & 7) - 3.0, y = (b[1] & 7) - 3.0;
    if (b[0] & 8) x = -x;
    if (b[1] & 8) y = -y;
    if (b[0] & 16) x = NAN;
    int r = 0;
    if (fmin(x, y) == 2) r |= 1;
    if (fmax(x, y) == 0) r |= 2;
    if (copysign(x, y) == 1) r |= 4;
    if (fma(x, y, 0.5) == 2.5) r |= 8;
    return r;
}
