#include <klee/klee.h>

int main(void) {
    int n = klee_range(1, 50, "n");
    volatile int a[n];
    a[n - 1] = 1;
    if (n > 20) a[20] = 2;
    if (n == 33) a[33] = 3; //~ out_of_bounds
    return 0;
}
