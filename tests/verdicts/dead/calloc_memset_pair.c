/* An allocation that only a memset uses. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
static void h(size_t n) {
    char *p = calloc(2, 4);
    memset(p, 1, n); //~ out_of_bounds
    free(p);
}
int main(void) {
    h(klee_range(0, 12, "n"));
    return 0;
}
