// run: --check memory,leak
/* The only pointer is overwritten. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *volatile p = malloc(4); //~ leak
    if (n > 3) p = 0;
    free(p);
    return 0;
}
