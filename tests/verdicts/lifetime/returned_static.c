/* The address of a static variable may. */
#include "klee/klee.h"
static int *keep(int v) {
    static int local;
    local = v;
    return &local;
}
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    int *p = keep(n);
    return *p != n;
}
