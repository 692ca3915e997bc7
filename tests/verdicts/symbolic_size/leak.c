// run: --check leak
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int n = klee_range(1, 100, "n");
    char *volatile p = malloc(n); //~ leak
    if (p && n < 50) p[0] = 1;
    p = 0;
    exit(0);
}
