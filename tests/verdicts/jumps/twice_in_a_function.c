// Two buffers of one call, and one that is filled again.
#include <assert.h>
#include <klee/klee.h>
#include <setjmp.h>

static jmp_buf a, b;

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    volatile int times = 0;
    int from_a = setjmp(a);
    if (from_a == 0) {
        int from_b = setjmp(b);
        if (from_b == 0) longjmp(b, 7);
        assert(from_b == 7);
        longjmp(a, x);
    }
    assert(from_a == (x ? x : 1));
    if (times++ == 0) longjmp(a, from_a);
    return 0;
}
