/* A store to a global that nobody reads. */
#include "klee/klee.h"
static int a[4];
static void h(int i) {
    a[i] = 1; //~ out_of_bounds
}
int main(void) {
    h(klee_range(0, 9, "i"));
    return 0;
}
