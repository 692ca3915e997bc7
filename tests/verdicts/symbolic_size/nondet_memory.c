#include <klee/klee.h>
#include <stdlib.h>
void __VERIFIER_nondet_memory(void *, size_t);

int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n < 1 || n > 20) return 0;
    char *p = malloc(n);
    if (!p) return 1;
    __VERIFIER_nondet_memory(p, 8); //~ out_of_bounds
    return p[n < 8 ? 0 : 7];
}
