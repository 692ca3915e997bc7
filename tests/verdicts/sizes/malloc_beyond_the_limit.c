// A system with more memory than ours may have room for it.
// halted: an allocation of more than 2147483648 bytes
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    char *p = malloc(x == 1 ? 3UL << 30 : 10);
    return p == 0;
}
