// The comparison with an address is explored as any other.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    long x;
    klee_make_symbolic(&x, sizeof x, "x");
    char *p = malloc(8);
    if (!p) return 1;
    return x == (long)p;
}
