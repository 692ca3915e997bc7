// run: --check overflow
/* The magnitude of the least integer. */
#include "klee/klee.h"
#include <stdlib.h>
int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    return abs(n) < 0; //~ overflow
}
