/* bytes: 1. A pointer chosen by input: several objects behind one access. */
#include "klee/klee.h"
int main(void) {
    int x = 1, y = 2, z[3] = {3, 4, 5};
    unsigned char b;
    klee_make_symbolic(&b, sizeof b, "b");
    int *p = b < 10 ? &x : b < 20 ? &y : &z[b % 3];
    *p += 10;
    if (x == 11) return 1;
    if (*p == 12) return 2;
    return z[0] + z[1] + z[2];
}
