// Arrays of symbolic sizes: only together are they too large.
#include "klee/klee.h"
static int use(int n, int m) {
    volatile char fixed[(8 << 20) - 100000];
    volatile char a[n];
    volatile char b[m]; //~ stack_overflow
    fixed[n] = a[0] = b[0] = 1;
    return fixed[n] + a[0] + b[0];
}
int main(void) {
    int n = klee_range(1, 60000, "n"), m = klee_range(1, 60000, "m");
    return use(n, m) != 3;
}
