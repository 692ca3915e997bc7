/* bytes: 1. Look-ups in a constant table at a symbolic index. */
#include "klee/klee.h"
static const unsigned char table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
int main(void) {
    unsigned char b;
    klee_make_symbolic(&b, sizeof b, "b");
    int v = table[b & 15] + table[b >> 4];
    if (v > 14) return 1;
    if (v == 2) return 2;
    if (table[v & 15] == 9) return 3;
    return 4;
}
