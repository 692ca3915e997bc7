// Thousands of frames of some kB, on the paths where there are enough of them.
#include "klee/klee.h"
static int down(int n) {
    volatile char some[4096]; //~ stack_overflow
    some[n % 4096] = 1;
    return n == 0 ? 0 : down(n - 1) + some[n % 4096];
}
int main(void) {
    return down(klee_range(0, 2, "x") ? 3000 : 1000) == 0;
}
