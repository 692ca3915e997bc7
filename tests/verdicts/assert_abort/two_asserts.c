// message: assertion failed: x != 1
// message: assertion failed: y != 2
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    int x = klee_int("x"), y = klee_int("y");
    assert(x != 1); //~ assert
    assert(y != 2); //~ assert
    return 0;
}
