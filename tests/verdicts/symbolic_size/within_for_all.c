#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *p = malloc(n + 1);
    if (!p) return 1;
    p[n] = 0;
    if (n > 200) p[200] = 1;
    int last = p[n];
    free(p);
    return last;
}
