/* Of two stores to one place the first one fails. */
#include "klee/klee.h"
static void h(int *a, int i) {
    a[i] = 1; //~ out_of_bounds
    a[i] = 2;
}
int main(void) {
    int a[4] = {0};
    h(a, klee_range(0, 9, "i"));
    return 0;
}
