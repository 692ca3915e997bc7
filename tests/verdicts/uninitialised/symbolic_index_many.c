// run: --check memory,uninit
/* Every second element of a large array on the heap was written. */
#include "klee/klee.h"
#include <stdlib.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    int *x = malloc(256 * sizeof *x);
    if (!x) return 1;
    for (int i = 0; i < 256; i += 2) x[i] = i;
    return x[n] == 7; //~ uninitialized
}
