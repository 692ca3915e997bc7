/* The quotient is not used. */
#include "klee/klee.h"
int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    int unused = 100 / n; //~ div_zero
    (void)unused;
    return 0;
}
