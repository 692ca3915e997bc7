// run: --check memory,uninit
/* It is set on both. */
#include "klee/klee.h"
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    int x;
    int *volatile p = &x;
    if (n > 3) *p = 1; else *p = 2;
    return *p;
}
