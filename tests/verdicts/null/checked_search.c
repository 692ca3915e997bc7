/* And is asked whether it did. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    char s[4];
    klee_make_symbolic(s, sizeof s, "s");
    s[3] = 0;
    char *colon = strchr(s, ':');
    if (colon) *colon = 0;
    return 0;
}
