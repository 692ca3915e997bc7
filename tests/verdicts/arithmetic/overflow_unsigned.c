// run: --check overflow
/* Unsigned sums wrap. */
#include "klee/klee.h"
int main(void) {
    unsigned n;
    klee_make_symbolic(&n, sizeof n, "n");
    return n + 1 > n;
}
