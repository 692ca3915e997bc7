/* One element behind a local array, by a symbolic index. */
#include "klee/klee.h"
int main(void) {
    int a[4] = {1, 2, 3, 4};
    unsigned i;
    klee_make_symbolic(&i, sizeof i, "i");
    if (i > 4) return 0;
    return a[i]; //~ out_of_bounds
}
