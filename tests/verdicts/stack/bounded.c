/* A deep one that ends. */
#include "klee/klee.h"
static int deep(int n) {
    volatile int fill[16] = {0};
    return n == 0 ? fill[0] : deep(n - 1) + fill[1];
}
int main(void) {
    return deep(3000);
}
