/* An access at a symbolic index after the block. */
#include "klee/klee.h"
int main(void) {
    int *p, i = klee_range(0, 4, "i");
    {
        int a[4] = {0, 1, 2, 3};
        p = a;
    }
    return p[i] == 9; //~ use_after_free
}
