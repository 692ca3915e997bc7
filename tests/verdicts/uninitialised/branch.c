// run: --check memory,uninit
/* A variable is set on one path only. */
#include "klee/klee.h"
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    int x;
    int *volatile p = &x;
    if (n > 3) *p = 1;
    return *p; //~ uninitialized
}
