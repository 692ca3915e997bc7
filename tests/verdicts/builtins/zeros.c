// run: --check builtin
/* Counts of zeros have no result for zero, whatever becomes of them. */
#include "klee/klee.h"
static int in_a_loop(unsigned long mask) {
    int sum = 0;
    for (int i = 0; i < 2; i++, mask &= mask - 1) sum += __builtin_ctzl(mask); //~ builtin
    return sum;
}
int main(void) {
    unsigned char way, x;
    klee_make_symbolic(&way, sizeof way, "way");
    klee_make_symbolic(&x, sizeof x, "x");
    switch (way % 8) {
    case 0: return 31 - __builtin_clz(x); //~ builtin
    case 1: return __builtin_ctz(x & 12); //~ builtin
    case 2: return __builtin_clzll(x >> 1); //~ builtin
    case 3: return in_a_loop(x & 6 | 16);
    case 4: __builtin_clzs(x); return 0; //~ builtin
    case 5: return __builtin_ctzg((unsigned __int128)x << 90); //~ builtin
    case 6: return __builtin_clzg((unsigned _BitInt(23))x); //~ builtin
    }
    return 0;
}
