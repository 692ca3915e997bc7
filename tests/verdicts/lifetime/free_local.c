/* A local variable is freed. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char local[8], *p = n ? malloc(8) : local;
    free(p); //~ invalid_free
    return 0;
}
