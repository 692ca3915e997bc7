// run: --check memory,leak
/* All is freed. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *p = malloc(4), *q = n ? malloc(8) : 0;
    free(q);
    free(p);
    return 0;
}
