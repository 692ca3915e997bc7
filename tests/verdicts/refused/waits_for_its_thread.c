// It would wait for ever for what nobody does.
// halted: pthread_create
#include <pthread.h>

static volatile int ready;
static void *work(void *arg) { ready = 1; return arg; }

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    while (!ready);
    return 0;
}
