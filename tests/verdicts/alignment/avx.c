// run: --cc-flag -mavx
/* With AVX a vector of 32 bytes is accessed at once. */
#include "klee/klee.h"
typedef long wide __attribute__((vector_size(32)));
static char t[96] __attribute__((aligned(32)));
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    wide *p = (void *)(t + 16 * (x % 3));
    return (*p)[0]; //~ misaligned
}
