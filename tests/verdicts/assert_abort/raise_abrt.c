// message: SIGABRT
#include <signal.h>

int main(void) {
    raise(SIGABRT); //~ abort
    return 0;
}
