// The only pointer stands at an index of the input.
// run: --check leak
#include <klee/klee.h>
#include <stdlib.h>

char *table[64];

int main(void) {
    unsigned char i;
    klee_make_symbolic(&i, sizeof i, "i");
    table[i % 64] = malloc(8);
    return 0;
}
