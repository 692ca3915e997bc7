// message: 16777216 more are needed, and its limit is 8388608
// A local array that the stack has no room for, on one path.
#include "klee/klee.h"
static int use(int i) {
    volatile char big[16 << 20]; //~ stack_overflow
    big[i] = 1;
    return big[i];
}
int main(void) {
    int i = klee_range(0, 100, "i");
    if (i < 50) return 0;
    return use(i) != 1;
}
