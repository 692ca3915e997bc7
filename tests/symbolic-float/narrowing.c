/* bytes: 2, finer. Integers to floats and doubles to floats: where digits are lost. */
#include "klee/klee.h"
#include <stdint.h>
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    int64_t n = (int64_t)b[0] << 30 | b[1];
    uint64_t u = (uint64_t)b[1] << 56 | b[0];
    int r = 0;
    if ((float)n == (float)(n + 1)) r |= 1;
    if ((int64_t)(float)n == n) r |= 2;
    if ((double)u == 9223372036854775808.0) r |= 4;
    if ((float)u > (double)u) r |= 8;
    if ((float)((double)b[0] + 1e-3 * b[1]) == 3.25f) r |= 16;
    return r;
}
