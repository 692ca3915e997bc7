/* A branch whose other side is declared unreachable is not decided by that. */
#include "klee/klee.h"
static int f(int *p) {
    if (!p) __builtin_unreachable(); //~ unreachable
    return *p;
}
int main(void) {
    int x = 1;
    return f(klee_range(0, 2, "c") ? &x : 0) == 2;
}
