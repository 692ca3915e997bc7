/* strchr finds nothing. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    char s[4];
    klee_make_symbolic(s, sizeof s, "s");
    s[3] = 0;
    char *colon = strchr(s, ':');
    *colon = 0; //~ null
    return 0;
}
