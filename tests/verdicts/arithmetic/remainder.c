/* The same for the remainder, unsigned. */
#include "klee/klee.h"
int main(void) {
    unsigned n;
    klee_make_symbolic(&n, sizeof n, "n");
    return 100u % (n & 12); //~ div_zero
}
