// Sizes above a bound take one value, which is said.
// halted: allocation sizes above 65536 bytes
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *p = malloc(n);
    if (!p) return 1;
    if (n > 3) p[3] = 1;
    return 0;
}
