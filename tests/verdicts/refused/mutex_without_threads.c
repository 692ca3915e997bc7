// What needs no second thread is modelled.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int inits;
static void init(void) { inits++; }

int main(void) {
    pthread_mutex_lock(&m);
    pthread_once(&once, init);
    pthread_once(&once, init);
    pthread_mutex_unlock(&m);
    return inits != 1;
}
