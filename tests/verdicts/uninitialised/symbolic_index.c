// run: --check memory,uninit
/* The index is symbolic, and one element was never written. */
// message: never written
#include "klee/klee.h"
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    int x[4];
    x[1] = 5;
    int i = n == 3 ? 2 : 1;
    if (x[i]) return 1; //~ uninitialized
    return 0;
}
