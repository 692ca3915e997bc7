/* Both branches free. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *p = malloc(4);
    if (n > 9) free(p);
    if (n > 200)
        free(p); //~ double_free
    return 0;
}
