/* Code that is declared unreachable, and is. */
#include "klee/klee.h"
int main(void) {
    int x = klee_range(0, 3, "x");
    if (x == 3) __builtin_unreachable();
    return 0;
}
