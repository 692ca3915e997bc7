/* The old pointer is used after realloc. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    char *p = malloc(8), *q;
    if (!p) return 0;
    p[0] = 1;
    q = realloc(p, 4096);
    if (!q) return 0;
    return p[0]; //~ use_after_free
}
