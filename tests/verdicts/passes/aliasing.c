// Types promise that two pointers lead elsewhere; this program breaks the promise, and does what its code says.
// run: --cc-flag=-O2
#include <assert.h>
#include <klee/klee.h>
__attribute__((noinline)) static long f(long *p, long long *q) { long a = *p; *q = a + 5; return *p - a; }
__attribute__((noinline)) static int g(int *p, float *q) { *p = 1; *q = 2.0f; return *p; }
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    long v = x;
    union { int i; float f; } u;
    assert(f(&v, (long long *)&v) == 5);
    assert(g(&u.i, &u.f) == 0x40000000);
    assert(x != 3); //~ assert
    return 0;
}
