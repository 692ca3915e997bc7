/* A default value is freed like an allocated one. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
static char fallback[] = "none";
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *p = fallback;
    if (n > 3) p = strdup("some");
    free(p); //~ invalid_free
    return 0;
}
