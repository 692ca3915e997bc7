/* All shifts are below the width. */
#include "klee/klee.h"
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    return (1u << (n & 31)) != 0 && (1ull << 63 >> (n & 63)) != 0;
}
