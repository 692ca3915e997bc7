/* bytes: 2, finer. The upper half of a double: every class of number there is. */
#include "klee/klee.h"
#include <math.h>
#include <stdint.h>
#include <string.h>
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    uint64_t bits = (uint64_t)b[0] << 48 | (uint64_t)b[1] << 56;
    double x;
    memcpy(&x, &bits, sizeof x);
    if (x != x) return 1;
    if (x == INFINITY) return 2;
    if (x == -INFINITY) return 3;
    if (x == 0) return 1 / x > 0 ? 4 : 5;
    if (fabs(x) < 2.2250738585072014e-308) return 6;
    if (x > 1e300) return 7;
    if (x < -1.5) return 8;
    return x > 1 ? 9 : 10;
}
