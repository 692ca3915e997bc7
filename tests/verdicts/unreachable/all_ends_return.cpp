/* Each way through the function returns a value. */
#include "klee/klee.h"
static int f(int x) {
    if (x) return 1;
    return 2;
}
int main() {
    return f(klee_range(0, 2, "x")) == 7;
}
