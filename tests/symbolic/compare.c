/* bytes: 2. Signed and unsigned comparisons of two bytes. */
#include "klee/klee.h"
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    signed char s = (signed char)b[0], t = (signed char)b[1];
    int r = 0;
    if (b[0] < b[1]) r |= 1;
    if (s < t) r |= 2;
    if (b[0] == b[1]) r |= 4;
    if (s + t > 100) r |= 8;
    if ((b[0] & b[1]) == 0) r |= 16;
    return r;
}
