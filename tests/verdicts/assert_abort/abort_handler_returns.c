// A handler that returns does not save the program.
// message: abort was called
#include <signal.h>
#include <stdlib.h>

static void handler(int signal) {}

int main(void) {
    signal(SIGABRT, handler);
    abort(); //~ abort
}
