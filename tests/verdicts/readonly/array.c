/* An array that is initialised by a literal is one's own. */
#include "klee/klee.h"
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char s[] = "text";
    s[n % 4] = 'T';
    return s[0];
}
