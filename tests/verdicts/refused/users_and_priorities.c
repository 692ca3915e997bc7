// halted: getutxent
// halted: sched_setscheduler
// halted: dlsym
#include <dlfcn.h>
#include <klee/klee.h>
#include <sched.h>
#include <stdlib.h>
#include <utmp.h>

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    struct sched_param how = {0};
    if (x == 1 && getutent()) abort();
    if (x == 2 && sched_setscheduler(0, SCHED_BATCH, &how) == 0) abort();
    if (x == 3 && dlsym(0, "malloc")) abort();
    return 0;
}
