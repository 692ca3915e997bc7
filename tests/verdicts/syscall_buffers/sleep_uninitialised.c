// run: --check uninit
#include <time.h>

int main(void) {
    struct timespec t;
    t.tv_sec = 0;
    return nanosleep(&t, 0); //~ uninitialized
}
