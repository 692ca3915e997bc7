/* A heap object is read after it was freed on one path. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *p = malloc(8);
    if (!p) return 0;
    p[0] = 1;
    if (n == 7) free(p);
    return p[0]; //~ use_after_free
}
