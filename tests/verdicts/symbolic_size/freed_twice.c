#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int n = klee_range(0, 100, "n");
    char *p = malloc(n);
    if (!p) return 1;
    free(p);
    if (n == 7) free(p); //~ double_free
    return 0;
}
