// The product wraps: too little is allocated.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (!n) return 0;
    unsigned char size = n * 8;
    char *p = malloc(size);
    if (!p) return 1;
    p[8 * n - 1] = 1; //~ out_of_bounds
    return 0;
}
