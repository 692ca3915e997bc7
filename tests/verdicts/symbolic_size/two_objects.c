#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int n = klee_range(1, 20, "n"), m = klee_range(1, 20, "m");
    char *p = malloc(n), *q = malloc(m);
    if (!p || !q) return 1;
    if (n < m) q[n] = 1;
    else if (m < n) p[m] = 1;
    else p[m] = 1; //~ out_of_bounds
    return 0;
}
