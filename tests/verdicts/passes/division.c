// Divisions trap, whatever is looked for, and no pass takes the divisor for what it must be.
// run: --check memory
#include <klee/klee.h>
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    unsigned b = !x;
    if (x < 4) return (int)(x / b); //~ div_zero
    int least = x == 9 ? -2147483647 - 1 : 1;
    return least % (x == 9 ? -1 : 2); //~ overflow
}
