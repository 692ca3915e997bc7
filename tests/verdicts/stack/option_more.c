/* --stack says how large the stack is. */
// run: --stack 16
#include "klee/klee.h"
#include <sys/resource.h>
static int touch(volatile char *p, int n) { p[n] = 1; return p[n]; }
static int takes(int n) {
    char here[4 << 20]; 
    return touch(here, n) + touch(here, (4 << 20) - 1);
}
static int more(int n) {
    char here[6 << 20];
    return touch(here, n) + takes(n);
}
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    struct rlimit limit;
    getrlimit(RLIMIT_STACK, &limit);
    if (limit.rlim_cur != 16 << 20) return 1;
    return (n > 100 ? more(n) : 0) > 7;
}
