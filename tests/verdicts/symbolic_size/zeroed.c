// run: --check uninit
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int n = klee_range(1, 20, "n"), i = klee_range(0, 20, "i");
    int *p = calloc(n, sizeof *p);
    if (!p) return 1;
    if (i < n) {
        assert(p[i] == 0);
        p[i] = 5;
        assert(p[i] == 5);
        if (n > 1) assert(p[i == 0] == 0);
    }
    free(p);
    return 0;
}
