// run: --check uninit
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int n = klee_range(4, 20, "n");
    char *p = malloc(n);
    if (!p) return 1;
    p[0] = 1;
    return p[0] + p[3]; //~ uninitialized
}
