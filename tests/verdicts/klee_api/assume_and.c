// A branch on the first half: constantly false on one side.
// run: --cc-flag -O0
#include <klee/klee.h>

int main(void) {
    int x = klee_int("x");
    klee_assume(x > 5 && x < 9);
    return x == 7;
}
