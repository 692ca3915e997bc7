/* An array of pointers is not terminated. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    static char *words[3] = {"a", "b", "c"};
    int i = 0;
    while (words[i][0] != n) //~ out_of_bounds
        i++;
    return i;
}
