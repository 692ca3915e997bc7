// siglongjmp out of a handler gives back the mask that sigsetjmp saved; longjmp leaves it.
#include <assert.h>
#include <klee/klee.h>
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf env;
static int count;
static void h(int s) { count++; siglongjmp(env, 1); }
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    signal(SIGUSR1, h);
    sigset_t m;
    if (sigsetjmp(env, x & 1)) {
        sigprocmask(SIG_SETMASK, 0, &m);
        assert(sigismember(&m, SIGUSR1) == !(x & 1));
        if (count == 2) assert(x != 3); //~ assert
        if (count >= 3) return 5;
    }
    raise(SIGUSR1);
    return 9;
}
