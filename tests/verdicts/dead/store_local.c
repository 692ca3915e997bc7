/* A store to an array that nobody reads. */
#include "klee/klee.h"
static void h(int i) {
    int a[4];
    a[i] = 1; //~ out_of_bounds
}
int main(void) {
    h(klee_range(0, 9, "i"));
    return 0;
}
