// Lost for one value of the input only, without a branch.
// run: --check leak
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

uintptr_t keep;

int main(void) {
    unsigned char i;
    klee_make_symbolic(&i, sizeof i, "i");
    uintptr_t a = (uintptr_t)malloc(8), mask = -(uintptr_t)(i != 7); //~ leak
    keep = a & mask;
    exit(0);
}
