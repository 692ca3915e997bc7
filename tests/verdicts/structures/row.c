/* A row too many. */
#include "klee/klee.h"
static int grid[3][4];
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n > 3) return 0;
    int *row = grid[n];
    return row[0]; //~ out_of_bounds
}
