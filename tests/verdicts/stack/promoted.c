// Arrays that become registers take of the stack all the same.
#include "klee/klee.h"
static int deep(int n) {
    int a[16], b[16];
    a[0] = n;
    b[15] = n + 1;
    if (n == 0) return a[0];
    return deep(n - 1) + b[15]; //~ stack_overflow
}
static int large(int n) {
    char c[9 << 20]; //~ stack_overflow
    c[7] = n;
    return c[7];
}
static int calls(int n) { return n == 0 ? 0 : 1 + calls(n - 1); }
int main(void) {
    int x = klee_range(0, 4, "x");
    if (x == 0) return deep(30000) == 5;
    if (x == 1) return large(x);
    if (x == 2) return deep(100000) == 5;
    return calls(100000) == 7;
}
