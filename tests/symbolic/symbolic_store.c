/* bytes: 2. Stores at symbolic indices, read back at others. */
#include "klee/klee.h"
int main(void) {
    unsigned char b[2], a[8] = {0};
    klee_make_symbolic(b, sizeof b, "b");
    a[b[0] & 7] = 5;
    a[b[1] & 7] += 3;
    int r = 0;
    if (a[b[0] & 7] == 8) r |= 1;
    if (a[2] == 5) r |= 2;
    if (a[(b[0] + b[1]) & 7] == 3) r |= 4;
    return r;
}
