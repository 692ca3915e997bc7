// run: --check builtin,overflow,assert
/* Counts of zeros that have a result: of what is not zero, and of zero where the builtin says what it is. */
#include "klee/klee.h"
#include <assert.h>
#include <emmintrin.h>
#include <strings.h>
static int reference(unsigned x) {
    int n = 0;
    while (n < 32 && !(x >> n & 1)) n++;
    return n;
}
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    int below = reference(x);
    assert(__builtin_ffs(x) == (x ? below + 1 : 0));
    assert(__builtin_ffsll(x) == __builtin_ffs(x) && ffs(x) == __builtin_ffs(x));
    assert(__builtin_ctzg((unsigned)x, 77) == (x ? below : 77));
    assert(__builtin_clzg((unsigned short)x, -1) == (x ? __builtin_clzs(x) : -1));
    assert((x ? __builtin_ctz(x) : 32) == below);
    assert(!x || __builtin_ctz(x) == below);
    assert(__builtin_clz(x | 256) == 23);
    assert(__builtin_clrsb(x) >= 23);
    return 0;
}
