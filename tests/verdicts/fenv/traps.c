// Traps and flushing to zero are no part of the model: it says so.
// halted: fesetenv of an environment with traps
#include <fenv.h>
#include <klee/klee.h>

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    fenv_t e;
    fegetenv(&e);
    if (x == 1) e.__mxcsr &= ~(1u << 9);
    if (x == 2) e.__mxcsr |= 1u << 15;
    if (x == 3) e.__control_word &= ~4u;
    if (x == 4) e.__control_word ^= 0x400;
    fesetenv(&e);
    volatile double zero = 0;
    return 1 / zero > 0 && x > 0 && x < 5;
}
