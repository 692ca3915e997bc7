/* A load whose value nobody uses. */
#include "klee/klee.h"
static void h(int *a, int i) {
    int x = a[i]; //~ out_of_bounds
}
int main(void) {
    int a[4] = {0};
    h(a, klee_range(0, 9, "i"));
    return 0;
}
