/* A case that nobody thought of. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *p = 0;
    switch (n & 3) {
    case 0: p = "zero"; break;
    case 1: p = "one"; break;
    case 2: p = "two"; break;
    }
    return p[0]; //~ null
}
