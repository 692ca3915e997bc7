/* Code that is declared unreachable is reached for one input. */
#include "klee/klee.h"
int main(void) {
    int x = klee_range(0, 3, "x");
    if (x == 2) __builtin_unreachable(); //~ unreachable
    return 0;
}
