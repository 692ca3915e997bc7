// run: --check uninit
#include <poll.h>

int main(void) {
    struct pollfd p[2];
    p[0].fd = p[1].fd = 1;
    p[0].events = p[1].events = POLLOUT;
    if (poll(p, 2, 0) != 2) return 1;
    return poll(p, 3, 0); //~ out_of_bounds
}
