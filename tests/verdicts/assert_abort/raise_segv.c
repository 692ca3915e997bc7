// message: the program dies of SIGSEGV
#include <klee/klee.h>
#include <signal.h>

int main(void) {
    if (klee_int("x") == 5)
        raise(SIGSEGV); //~ abort
    return 0;
}
