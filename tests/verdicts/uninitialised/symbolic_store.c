// run: --check memory,uninit
/* What a store at a symbolic index may have written is not reported. */
#include "klee/klee.h"
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    int x[256];
    x[n] = 1;
    return x[n] == 1 ? 0 : 2;
}
