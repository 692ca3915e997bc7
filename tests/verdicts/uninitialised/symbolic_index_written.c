// run: --check memory,uninit
/* All that the index can reach was written: the even elements, and those that a condition leaves. */
#include "klee/klee.h"
int main(void) {
    unsigned char n, m;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_make_symbolic(&m, sizeof m, "m");
    int x[256];
    for (int i = 0; i < 256; i += 2) x[i] = i;
    x[7] = 7;
    int sum = x[n & 0xfe];
    if (m != 7 && m % 2 == 1) return 2;
    return sum + x[m] == 9;
}
