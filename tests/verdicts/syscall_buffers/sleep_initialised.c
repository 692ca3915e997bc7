// run: --check uninit
#include <time.h>

int main(void) {
    struct timespec t;
    t.tv_sec = 0;
    t.tv_nsec = 1;
    return nanosleep(&t, 0);
}
