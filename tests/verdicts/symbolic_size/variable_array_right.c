#include <klee/klee.h>

static int use(int n) {
    volatile int a[n];
    for (int i = 0; i < n; i++) a[i] = i;
    return a[n - 1];
}

int main(void) {
    int n = klee_range(1, 10, "n");
    return use(n) + use(n + 1) != 2 * n - 1;
}
