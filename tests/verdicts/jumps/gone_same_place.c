// The function has returned, and is called again from the same place: what setjmp kept belongs to the first call.
#include <klee/klee.h>
#include <setjmp.h>

static jmp_buf env, other;

__attribute__((noinline)) static int f(int i, int keeps) {
    if (i == 0) return setjmp(env);
    if (keeps && setjmp(other)) return 0;
    longjmp(env, 1); //~ use_after_free
}

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    for (int i = 0; i < 2; i++) {
        if (i == 1 && x > 3) break;
        f(i, x == 3);
    }
    return 0;
}
