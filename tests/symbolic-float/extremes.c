/* bytes: 2, finer. Two doubles of one byte each: overflow, underflow, infinities, NaNs. */
#include "klee/klee.h"
#include <math.h>
#include <stdint.h>
#include <string.h>
static double wide(unsigned char byte) {
    uint64_t bits = (uint64_t)byte << 56 | (uint64_t)(byte & 1 ? 0xf : 0) << 52 | (uint64_t)(byte & 2) << 50 | (byte & 4);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static int class_of(double x) {
    if (x != x) return 0;
    if (fabs(x) == INFINITY) return 1;
    if (x == 0) return 2;
    return fabs(x) < 2.2250738585072014e-308 ? 3 : 4;
}
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    double x = wide(b[0]), y = wide(b[1]);
    return class_of(x * y) * 5 + class_of(x - y);
}
