/* A quotient that nobody uses. */
#include "klee/klee.h"
static void h(int a, int b) {
    int q = a / b; //~ div_zero overflow
}
int main(void) {
    h(klee_int("a"), klee_int("b"));
    return 0;
}
