// Operations without a result for some operands: what x86-64 gives, whatever a pass would make of them.
// run: --check memory,assert
#include <assert.h>
#include <klee/klee.h>
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    double d = x == 7 ? 1e20 : 1.0;
    int i = (int)d;
    assert(i == 1); //~ assert
    float f = x == 8 ? -1e30f : 2.0f;
    long l = (long)f;
    assert(l == 2); //~ assert
    int v;
    if (x != 5) v = 1;
    assert(v > 0); //~ assert
    int shifted = 1 << x;
    if (x == 33) assert(shifted != 2); //~ assert
    return 0;
}
