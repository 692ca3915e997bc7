#include <signal.h>

int main(void) {
    signal(SIGTERM, SIG_IGN);
    raise(SIGTERM);
    raise(SIGCHLD);
    return 0;
}
