#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    int n = klee_range(0, 100, "n");
    char *p = malloc(n);
    if (!p) return 1;
    if (n >= 10) {
        memcpy(p, "0123456789", 10);
        return p[9] != '9';
    }
    return 0;
}
