/* An array that is no string. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    char s[3];
    klee_make_symbolic(s, sizeof s, "s");
    return strlen(s); //~ out_of_bounds
}
