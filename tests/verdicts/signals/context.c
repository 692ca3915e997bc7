// What a handler with SA_SIGINFO is given.
// halted: changes the interrupted context
#include <assert.h>
#include <klee/klee.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
static unsigned char x;
static void h(int s, siginfo_t *i, void *u) {
    ucontext_t *c = u;
    assert(i->si_signo == s && s == SIGUSR1);
    assert(c->uc_mcontext.gregs[16] != 0);
    assert(c->uc_link == 0);
    if (x == 1) sigaddset(&c->uc_sigmask, SIGUSR2);
    if (x == 2) c->uc_mcontext.gregs[16] += 2;
}
int main(void) {
    klee_make_symbolic(&x, 1, "x");
    struct sigaction a = {0};
    a.sa_sigaction = h;
    a.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &a, 0);
    raise(SIGUSR1);
    sigset_t m;
    sigprocmask(SIG_SETMASK, 0, &m);
    assert(!sigismember(&m, SIGUSR2)); //~ assert
    return 0;
}
