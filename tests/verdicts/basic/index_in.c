/* The same with the right bound. */
#include "klee/klee.h"
int main(void) {
    int a[4] = {1, 2, 3, 4};
    unsigned i;
    klee_make_symbolic(&i, sizeof i, "i");
    if (i >= 4) return 0;
    return a[i];
}
