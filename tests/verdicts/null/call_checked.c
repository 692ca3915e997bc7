/* The hole is left out. */
#include "klee/klee.h"
static int a(void) { return 1; }
static int b(void) { return 2; }
static int (*table[4])(void) = {a, b, 0, a};
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    return table[n % 4] ? table[n % 4]() : 0;
}
