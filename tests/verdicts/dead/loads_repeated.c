/* Of two equal loads the first one fails. */
#include "klee/klee.h"
static int h(int *a, int i) {
    int x = a[i]; //~ out_of_bounds
    int y = a[i];
    return x - y;
}
int main(void) {
    int a[4] = {0};
    return h(a, klee_range(0, 9, "i"));
}
