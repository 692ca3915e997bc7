/* A string literal is written to. */
#include "klee/klee.h"
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *s = "text";
    if (n == 't') s[0] = 'T'; //~ readonly
    return s[1];
}
