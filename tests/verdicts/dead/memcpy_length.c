/* A copy into an array that nobody reads, of a length that nobody checked. */
#include "klee/klee.h"
#include <string.h>
static void h(const char *s, unsigned n) {
    char b[16];
    memcpy(b, s, n); //~ out_of_bounds
}
int main(void) {
    char s[64] = "";
    h(s, klee_range(0, 64, "n"));
    return 0;
}
