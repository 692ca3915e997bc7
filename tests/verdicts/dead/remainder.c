/* A remainder that nobody uses. */
#include "klee/klee.h"
static void h(unsigned a, unsigned b) {
    a % b; //~ div_zero
}
int main(void) {
    h(klee_int("a"), klee_int("b"));
    return 0;
}
