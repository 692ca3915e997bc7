/* A quotient of 128 bits that nobody needs. */
#include "klee/klee.h"
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    __int128 d = (__int128)x - 5;
    __int128 q = (__int128)1000 / d; //~ div_zero
    return 0;
}
