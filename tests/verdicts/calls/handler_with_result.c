/* A signal handler that returns a value: the interrupted function's variables stay. */
#include <assert.h>
#include <signal.h>
static volatile int seen;
static int handler(int n) {
    seen = n;
    return 42;
}
static int keep(int p) {
    raise(SIGUSR1);
    return p;
}
int main(void) {
    signal(SIGUSR1, (void (*)(int))handler);
    assert(keep(7) == 7 && seen == SIGUSR1);
    return 0;
}
