/* What is freed is not the beginning. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *p = malloc(4);
    if (!p) return 0;
    if (n == 3) p++;
    free(p); //~ invalid_free
    return 0;
}
