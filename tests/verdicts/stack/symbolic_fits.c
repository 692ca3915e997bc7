// Sizes that can be large, but not together.
#include "klee/klee.h"
static int use(int n, int m) {
    volatile char fixed[(8 << 20) - 100000];
    volatile char a[n], b[m];
    fixed[n] = a[0] = b[0] = 1;
    return fixed[n] + a[0] + b[0];
}
int main(void) {
    int n = klee_range(1, 60000, "n"), m = klee_range(1, 60000, "m");
    klee_assume(n + m < 90000);
    return use(n, m) != 3;
}
