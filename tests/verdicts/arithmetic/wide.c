// run: --check overflow,shift
/* Sums and shifts of more than 64 bits. */
#include "klee/klee.h"
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    __int128 most = (__int128)(~(unsigned __int128)0 >> 1);
    unsigned _BitInt(65) one = 1;
    if (x == 0) return 0;
    if (x < 100) {
        one <<= x; //~ shift
        return one == 0;
    }
    most += x - 100; //~ overflow
    return most == 0;
}
