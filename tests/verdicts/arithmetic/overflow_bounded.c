// run: --check overflow
/* Bounds keep the product in range. */
#include "klee/klee.h"
int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n < -46340 || n > 46340) return 0;
    return n * n;
}
