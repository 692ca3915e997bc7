/* No divisor can be zero. */
#include "klee/klee.h"
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    return 100 / (n | 1) + 100 % (n + 1);
}
