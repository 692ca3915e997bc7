/* A number with more digits than expected. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *text = malloc(3);
    if (!text) return 0;
    sprintf(text, "%d", n > 99 ? 100 : 99); //~ out_of_bounds
    free(text);
    return 0;
}
