// message: heap object of
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int n = klee_range(1, 100, "n");
    char *p = malloc(n);
    if (!p) return 1;
    p[0] = 'a';
    p[n - 1] = 'b';
    p = realloc(p, n + 10);
    if (!p) return 1;
    assert(p[0] == (n == 1 ? 'b' : 'a'));
    assert(p[n - 1] == 'b');
    p[n + 9] = 'c';
    p[n + 10] = 'd'; //~ out_of_bounds
    return 0;
}
