#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    int n = klee_range(0, 100, "n");
    char *p = malloc(n);
    if (!p) return 1;
    memcpy(p, "0123456789", 10); //~ out_of_bounds
    return p[9] != '9';
}
