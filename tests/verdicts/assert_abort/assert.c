// message: assertion failed: x != 42
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    assert(x != 42); //~ assert
    return 0;
}
