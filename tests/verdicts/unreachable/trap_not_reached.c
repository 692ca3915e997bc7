/* A trap that is not reached. */
#include "klee/klee.h"
int main(void) {
    if (klee_range(0, 3, "x") == 3) __builtin_trap();
    return 0;
}
