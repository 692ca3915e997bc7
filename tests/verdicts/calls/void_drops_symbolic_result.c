/* As void_drops_result, with symbolic values on both sides. */
#include "klee/klee.h"
#include <assert.h>
static int g(int x) { return x * 3; }
static int keep(int p, int q) {
    void (*volatile f)(int) = (void (*)(int))g;
    f(q);
    return p;
}
int main(void) {
    int p = klee_int("p"), q = klee_int("q");
    assert(keep(p, q) == p);
    return 0;
}
