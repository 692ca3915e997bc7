/* bytes: 2, finer. The upper half of a float: to integers and to double, what does not fit included. */
#include "klee/klee.h"
#include <stdint.h>
#include <string.h>
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    uint32_t bits = (uint32_t)b[0] << 16 | (uint32_t)b[1] << 24;
    float x;
    memcpy(&x, &bits, sizeof x);
    int n = (int)x;
    int r = 0;
    if (n == 5) r |= 1;
    if (n == INT32_MIN) r |= 2;
    if ((long)x == 1L << 40) r |= 4;
    if ((float)((double)x * 1.1) == x) r |= 8;
    if ((float)n == x) r |= 16;
    return r;
}
