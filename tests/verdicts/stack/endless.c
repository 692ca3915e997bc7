/* A recursion without an end. */
#include "klee/klee.h"
static int deep(int n) {
    volatile int fill[64] = {0}; //~ stack_overflow
    return n == 77 ? fill[0] : deep(n - (n != 0)) + fill[1];
}
int main(void) {
    return deep(3);
}
