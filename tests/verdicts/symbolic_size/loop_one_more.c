#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int n = klee_range(1, 12, "n");
    int *p = malloc(n * sizeof *p);
    if (!p) return 1;
    for (int i = 0; i <= n; i++) p[i] = i; //~ out_of_bounds
    return p[0];
}
