#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned n = klee_range(1, 300, "n"), i = klee_range(0, 300, "i");
    char *p = malloc(n);
    if (!p || i >= n) return 1;
    p[i] = 7;
    p[0] = 3;
    assert(p[i] == (i ? 7 : 3));
    assert(p[n - 1] == (n == 1 ? 3 : i == n - 1 ? 7 : p[n - 1]));
    return 0;
}
