#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *p = malloc(n);
    if (!p || n < 10) return 1;
    if (n == 77) p[77] = 1; //~ out_of_bounds
    else p[9] = 1;
    return 0;
}
