/* bytes: 2, finer. x87: long double arithmetic, comparisons and conversions. */
#include "klee/klee.h"
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    long double x = (signed char)b[0], y = b[1];
    int r = 0;
    if (x / 3 * 3 == x) r |= 1;
    if (x * y == 1024) r |= 2;
    if ((double)(x * 0.1L) == x * 0.1) r |= 4;
    if ((int)(x + y / 2) == 17) r |= 8;
    if (x < y - 200) r |= 16;
    return r;
}
