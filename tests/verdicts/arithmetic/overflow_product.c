// run: --check overflow
/* A product of sizes. */
#include "klee/klee.h"
int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n < 0 || n > 70000) return 0;
    return n * n; //~ overflow
}
