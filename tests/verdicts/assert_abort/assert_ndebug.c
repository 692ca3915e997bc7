// run: --cc-flag -DNDEBUG
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    int x = klee_int("x");
    assert(x != 42);
    return x == 42;
}
