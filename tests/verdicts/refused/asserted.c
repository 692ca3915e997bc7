// Who asserts that there are threads relies on them.
// halted: pthread_create
#include <assert.h>
#include <pthread.h>

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t t;
    int failed = pthread_create(&t, 0, work, 0);
    assert(failed == 0);
    pthread_join(t, 0);
    return 0;
}
