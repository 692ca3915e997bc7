/* bytes: 1. An index that is checked, or else the program gives up. */
#include "klee/klee.h"
#include <stdlib.h>
static int a[10] = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90};
int main(void) {
    signed char i;
    klee_make_symbolic(&i, sizeof i, "i");
    if (i > 10) return 1;
    if (i == 10 || i < -1) abort();
    if (i == -1) return 2;
    return a[i] + 3;
}
