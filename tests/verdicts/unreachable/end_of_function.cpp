/* The end of a function that has to return a value. */
#include "klee/klee.h"
static int f(int x) {
    if (x) return 1; //~ unreachable
}
int main() {
    return f(klee_range(0, 2, "x")) == 7;
}
