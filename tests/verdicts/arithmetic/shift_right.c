/* The same to the right, of 64 bits. */
#include "klee/klee.h"
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n > 64) return 0;
    return (1ull << 63 >> n) != 0; //~ shift
}
