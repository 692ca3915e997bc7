// halted: pthread_create
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) { *(int *)arg = 7; return 0; }

int main(void) {
    pthread_t t[2];
    int value[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, &value[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    if (value[0] + value[1] != 14)
        abort();
    return 0;
}
