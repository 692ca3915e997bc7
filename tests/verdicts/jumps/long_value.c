// Through another declaration the value is wider than it is taken.
#include <assert.h>
#include <klee/klee.h>
#include <setjmp.h>

static jmp_buf env;
typedef void jump(jmp_buf, long);

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    int r = setjmp(env);
    if (r == 0) ((jump *)longjmp)(env, x | 1L << 40);
    assert(r == (x ? x : 1));
    return 0;
}
