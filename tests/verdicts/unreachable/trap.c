/* A trap is an abnormal end. */
// message: __builtin_trap
#include "klee/klee.h"
int main(void) {
    if (klee_range(0, 3, "x") == 1) __builtin_trap(); //~ abort
    return 0;
}
