/* The address of a local variable leaves its function. */
#include "klee/klee.h"
static int *keep(int v) {
    int local = v;
    int *volatile p = &local;
    return p;
}
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    int *p = keep(n);
    return *p; //~ use_after_free
}
