/* snprintf cuts. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *text = malloc(3);
    if (!text) return 0;
    snprintf(text, 3, "%d", n > 99 ? 100 : 99);
    free(text);
    return 0;
}
