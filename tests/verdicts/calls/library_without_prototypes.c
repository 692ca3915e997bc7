// Arguments of the engine's functions that are narrower than its parameters.
#include <klee/klee.h>
char *malloc(), *calloc(), *realloc();
void *memcpy(), *memset(), *memchr(), *mempcpy(), *aligned_alloc();
int memcmp(), posix_memalign();

int main(void) {
    char a[10] = {0};
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n);
    if (n < 1 || n > 9) return 0;
    char *p = malloc(n), *q = calloc(n, n);
    q = realloc(q, n + 1);
    memset(q, n, n);
    memcpy(p, q, n);
    mempcpy(a, a + 9, 1);
    if (memcmp(p, q, n) || memchr(p, n, n) != p) return 1;
    p = aligned_alloc(32, 10 + n);
    p[16] = 1; //~ out_of_bounds
    return posix_memalign(&p, 64, n);
}
