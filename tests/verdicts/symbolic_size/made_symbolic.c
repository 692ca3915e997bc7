#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int n = klee_range(1, 5, "n");
    char *p = malloc(n);
    if (!p) return 1;
    klee_make_symbolic(p, n, "p");
    return p[n - 1] == 'x';
}
