// A function of the program named like an assertion is its own.
#include <klee/klee.h>
#include <stdlib.h>

static void verify(int condition) {
    if (!condition)
        abort(); //~ abort
}

int main(void) {
    verify(klee_int("x") != 7);
    return 0;
}
