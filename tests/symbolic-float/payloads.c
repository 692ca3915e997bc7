/* bytes: 2, finer. Bits of NaNs: which one an operation gives, and what conversions leave of it. */
#include "klee/klee.h"
#include <stdint.h>
#include <string.h>
static double make(unsigned char byte) {
    uint64_t bits = (uint64_t)(byte & 0x80 ? 0xfff : 0x7ff) << 52 | (uint64_t)(byte & 0x70) << 45 | (byte & 0xf);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    double x = make(b[0]), y = make(b[1]), sum = x - y;
    float narrow = (float)sum;
    uint64_t bits;
    uint32_t low;
    memcpy(&bits, &sum, sizeof bits);
    memcpy(&low, &narrow, sizeof low);
    int r = 0;
    if (bits == 0xfff8000000000000) r |= 1;
    if (bits == 0x7ff8000000000003) r |= 2;
    if (low == 0xffc00000) r |= 4;
    if (bits >> 63) r |= 8;
    if ((bits & 7) == 5) r |= 16;
    return r;
}
