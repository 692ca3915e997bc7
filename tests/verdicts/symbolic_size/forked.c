// Paths that learn different things about one object.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int n = klee_range(1, 100, "n"), c = klee_int("c");
    char *p = malloc(n);
    if (!p) return 1;
    if (c == 1 && n > 30) p[30] = 1;
    else if (c == 2 && n > 60) p[60] = 1;
    else if (c == 3) p[10] = 1; //~ out_of_bounds
    else p[0] = 1;
    return 0;
}
