/* A flexible array member, one element too few. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
struct text { int length; char bytes[]; };
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n > 20) return 0;
    struct text *t = malloc(sizeof *t + 20);
    if (!t) return 0;
    t->bytes[n] = 'x'; //~ out_of_bounds
    free(t);
    return 0;
}
