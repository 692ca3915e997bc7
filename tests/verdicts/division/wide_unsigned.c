/* A divisor of which a pass could say that it is 1. */
#include "klee/klee.h"
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    unsigned __int128 a = 77, b = !x;
    int r = (int)(a / b); //~ div_zero
    return r == 3;
}
