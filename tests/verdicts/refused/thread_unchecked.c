// A thread that did not start is not why the program is wrong.
// halted: pthread_create
#include <assert.h>
#include <pthread.h>

static int done;
static void *work(void *arg) { done = 1; return arg; }

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    assert(done || 1);
    assert(done);
    return 0;
}
