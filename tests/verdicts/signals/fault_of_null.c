// The handler of a fault that is undefined in C is not run, and the run says so.
// halted: a signal handler of a fault outside of the program's mappings
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
static sigjmp_buf back;
static void leaves(int s) { siglongjmp(back, 1); }
int main(void) {
    int *volatile p = NULL;
    signal(SIGSEGV, leaves);
    if (sigsetjmp(back, 1) == 0) return *p; //~ null
    return 0;
}
