// run: --check overflow
/* The negation of the least integer. */
#include "klee/klee.h"
int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    return n < 0 ? -n : n; //~ overflow
}
