/* The call of a const function whose result nobody uses. */
#include "klee/klee.h"
__attribute__((const)) static int quotient(int a, int b) {
    return a / b; //~ div_zero
}
static void h(int b) { quotient(7, b); }
int main(void) {
    h(klee_range(0, 3, "b"));
    return 0;
}
