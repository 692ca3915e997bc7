// What a store at a symbolic index left is there when the byte is known to exist.
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned n = klee_range(1, 64, "n"), i = klee_range(0, 64, "i");
    char *p = calloc(n, 1);
    if (!p || i >= n) return 1;
    p[i] = 7;
    if (n > 40) assert(p[40] == (i == 40 ? 7 : 0));
    return 0;
}
