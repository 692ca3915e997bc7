/* And with enough. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
struct text { int length; char bytes[]; };
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n > 20) return 0;
    struct text *t = malloc(sizeof *t + 21);
    if (!t) return 0;
    t->bytes[n] = 'x';
    free(t);
    return 0;
}
