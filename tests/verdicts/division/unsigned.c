/* Unsigned numbers do not overflow, narrow ones are ints. */
#include "klee/klee.h"
int main(void) {
    unsigned a = klee_int("a");
    signed char c = klee_range(-128, 128, "c");
    volatile int minus = -1;
    return (a | 1) / 0xffffffffu == 3 || c / minus == 300;
}
