/* The new pointer is used after realloc, and the content has come along. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *p = malloc(8), *q;
    if (!p) return 0;
    p[0] = n;
    q = realloc(p, 4096);
    if (!q) {
        free(p);
        return 0;
    }
    int same = q[0] == (char)n;
    free(q);
    return !same;
}
