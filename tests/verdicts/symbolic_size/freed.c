#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int n = klee_range(0, 100, "n");
    char *p = malloc(n);
    if (!p) return 1;
    free(p);
    if (n > 50) p[20] = 1; //~ use_after_free
    return 0;
}
