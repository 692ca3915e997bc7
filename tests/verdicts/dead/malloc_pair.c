/* An allocation that only a store uses. */
#include "klee/klee.h"
#include <stdlib.h>
static void h(int i) {
    char *p = malloc(8);
    p[i] = 1; //~ out_of_bounds
    free(p);
}
int main(void) {
    h(klee_range(0, 12, "i"));
    return 0;
}
