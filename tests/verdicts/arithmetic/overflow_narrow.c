// run: --check overflow
/* Narrow types are added as int. */
#include "klee/klee.h"
int main(void) {
    short n;
    klee_make_symbolic(&n, sizeof n, "n");
    short sum = n + n;
    return sum;
}
