/* Handlers stored, delivered by raise, blocked, ignored. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t hits, last;
static void handler(int s) { hits++; last = s; }
static void info(int s, siginfo_t *i, void *c) { (void)c; hits += 10; last = s + 100 * (i->si_signo == s); }

/* One value a call: the order of evaluation of arguments is not defined. */
#define N(e) printf("%lld ", (long long)(e))
int main(void) {
    N(signal(SIGUSR1, handler) == SIG_DFL); puts("");
    raise(SIGUSR1);
    N(hits); N(last == SIGUSR1); puts("");
    struct sigaction sa, old;
    memset(&sa, 0, sizeof sa);
    sa.sa_sigaction = info;
    sa.sa_flags = SA_SIGINFO;
    N(sigaction(SIGUSR2, &sa, NULL));
    kill(getpid(), SIGUSR2);
    N(hits); N(last == SIGUSR2 + 100); puts("");
    sigaction(SIGUSR1, NULL, &old);
    N(old.sa_handler == handler); puts("");
    sigset_t set, pending;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    sigpending(&pending);
    N(hits); N(sigismember(&pending, SIGUSR1)); puts("");
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    N(hits); puts("");
    signal(SIGTERM, SIG_IGN);
    raise(SIGTERM);
    puts("still here");
    return 0;
}
