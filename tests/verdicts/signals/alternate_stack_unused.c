// A stack for a handler of crashes that do not happen, and one that is not there.
#include <klee/klee.h>
#include <signal.h>
#include <stdlib.h>

static char stack[16384];
static void crash(int signal) { _Exit(3); }
static void handler(int signal) {}

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, 0);
    raise(SIGUSR1);
    sigaltstack(&other, 0);
    action.sa_handler = crash;
    sigaction(SIGSEGV, &action, 0);
    return x == 3;
}
