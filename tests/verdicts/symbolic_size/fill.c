#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    int n = klee_range(0, 20, "n");
    char *p = malloc(n);
    if (!p) return 1;
    memset(p, 1, n);
    memset(p, 2, n + 1); //~ out_of_bounds
    return 0;
}
