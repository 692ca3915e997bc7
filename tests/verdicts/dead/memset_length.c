/* A memset of an unchecked length. */
#include "klee/klee.h"
#include <string.h>
static void h(unsigned n) {
    char b[16];
    memset(b, 0, n); //~ out_of_bounds
}
int main(void) {
    h(klee_range(0, 40, "n"));
    return 0;
}
