// Handlers run on the ordinary stack: a run in which one should not says so.
// halted: a signal handler on the stack of sigaltstack
#include <klee/klee.h>
#include <signal.h>

static char stack[16384];
static int on;
static void handler(int signal) {
    char here;
    on = &here >= stack && &here < stack + sizeof stack;
}

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&other, 0);
    struct sigaction action = {.sa_handler = handler, .sa_flags = x & 1 ? SA_ONSTACK : 0};
    sigaction(SIGUSR1, &action, 0);
    raise(SIGUSR1);
    return on;
}
