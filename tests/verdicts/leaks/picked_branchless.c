// One of two stays behind, whichever the input picks.
// run: --check leak
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

uintptr_t keep;

int main(void) {
    unsigned char i;
    klee_make_symbolic(&i, sizeof i, "i");
    uintptr_t a = (uintptr_t)malloc(8), b = (uintptr_t)malloc(8), mask = -(uintptr_t)(i & 1); //~ leak
    keep = (a & mask) | (b & ~mask);
    exit(0);
}
