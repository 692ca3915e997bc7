// The failure is handled: what follows counts.
// halted: pthread_create
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t t;
    int failed = pthread_create(&t, 0, work, 0);
    if (failed) {
        fprintf(stderr, "no threads: %d\n", failed);
        return 3;
    }
    pthread_join(t, 0);
    assert(!"never here");
}
