/* A switch that is declared to be complete, and is not. */
#include "klee/klee.h"
static int f(int x) {
    switch (x) {
    case 0: return 4;
    case 1: return 5;
    default: __builtin_unreachable(); //~ unreachable
    }
}
int main(void) { return f(klee_range(0, 3, "x")) == 9; }
