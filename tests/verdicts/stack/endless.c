/* A recursion without an end. */
#include "klee/klee.h"
static int deep(int n) {
    volatile int fill[64] = {0};
    return n == 77 ? fill[0] : deep(n - (n != 0)) + fill[1]; //~ stack_overflow
}
int main(void) {
    return deep(3);
}
