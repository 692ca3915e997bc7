/* Of 64 bits, with a symbolic dividend. */
#include "klee/klee.h"
int main(void) {
    long a = 0;
    klee_make_symbolic(&a, sizeof a, "a");
    volatile long b = -1;
    return a / b == 3; //~ overflow
}
