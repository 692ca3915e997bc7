// run: --check overflow
/* A signed sum that overflows. */
#include "klee/klee.h"
int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    return n + 1 > n; //~ overflow
}
