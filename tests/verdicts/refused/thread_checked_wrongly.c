// It looks, and its error path is wrong: that is its fault.
// halted: pthread_create
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t t;
    int *p = 0;
    if (pthread_create(&t, 0, work, 0) != 0)
        return *p; //~ null
    return 0;
}
