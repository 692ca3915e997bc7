/* ppoll and pselect wait under another signal mask, and the old one returns with the handler. */
#define _GNU_SOURCE
#include "klee/klee.h"
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/select.h>
static volatile int got;
static void handler(int s) { got++; }
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    sigset_t one, none, now;
    sigemptyset(&none);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    signal(SIGUSR1, handler);
    sigprocmask(SIG_BLOCK, &one, 0);
    raise(SIGUSR1);
    struct timespec short_time = {0, 1000};
    assert(pselect(0, 0, 0, 0, &short_time, &one) == 0 && got == 0);
    assert(ppoll(0, 0, n > 9 ? 0 : &short_time, &none) == -1 && errno == EINTR && got == 1);
    sigprocmask(SIG_SETMASK, 0, &now);
    assert(sigismember(&now, SIGUSR1));
    raise(SIGUSR1);
    assert(pselect(0, 0, 0, 0, 0, &none) == -1 && got == 2);
    assert(n != 7); //~ assert
    return 0;
}
