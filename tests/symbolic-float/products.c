/* bytes: 2, finer. Products and quotients of small numbers. */
#include "klee/klee.h"
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    double x = (signed char)b[0], y = (signed char)b[1];
    int r = 0;
    if (x * x + y * y == 625) r |= 1;
    if (x * 0.1 == y) r |= 2;
    if (y != 0 && x / y == 2.5) r |= 4;
    if (x / 3 > 42) r |= 8;
    return r;
}
