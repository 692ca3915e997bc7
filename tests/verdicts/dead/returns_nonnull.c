/* A function that breaks its promise not to return null is tested all the same. */
#include "klee/klee.h"
__attribute__((returns_nonnull, noinline)) static int *find(int i) {
    static int x;
    int *r = i ? &x : 0;
    return r;
}
int main(void) {
    int *p = find(klee_range(0, 2, "i"));
    if (!p) return 0;
    return *p;
}
