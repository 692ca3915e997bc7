#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned n = klee_range(1, 300, "n"), i = klee_range(0, 300, "i");
    char *p = malloc(n);
    if (!p) return 1;
    p[i] = 7; //~ out_of_bounds
    assert(i < n);
    assert(p[i] == 7);
    return 0;
}
