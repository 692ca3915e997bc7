/* The pointer is cleared, so that free may be called again. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *p = malloc(4);
    if (n > 9) {
        free(p);
        p = 0;
    }
    free(p);
    return 0;
}
