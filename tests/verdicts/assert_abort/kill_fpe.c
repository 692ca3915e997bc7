// message: the program dies of SIGFPE
#include <signal.h>
#include <unistd.h>

int main(void) {
    kill(getpid(), SIGFPE); //~ abort
    return 0;
}
