// The first bytes differ: what stands behind them is read all the same, as C says.
// run: --check memory,memcmp
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n < 2 || n > 20) return 0;
    char *p = calloc(n, 1);
    if (!p) return 1;
    return memcmp(p, "abcdefg", 8) > 0; //~ out_of_bounds
}
