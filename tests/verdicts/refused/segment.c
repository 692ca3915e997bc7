// halted: address space 256
/* What a segment register points to is not known. */
#include "klee/klee.h"
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    if (x == 3) return *(int __seg_gs *)(long)(x * 4096);
    return 0;
}
