#include <stdlib.h>
#include <time.h>

int main(void) {
    struct timespec *t = malloc(8);
    if (!t) return 1;
    return clock_gettime(CLOCK_REALTIME, t); //~ out_of_bounds
}
