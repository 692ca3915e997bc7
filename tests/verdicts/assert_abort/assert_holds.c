#include <assert.h>
#include <klee/klee.h>

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    assert(x < 256);
    assert((x & 1) == x % 2);
    return 0;
}
