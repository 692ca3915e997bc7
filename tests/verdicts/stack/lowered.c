/* A program may lower the limit of its stack, which has 128 KiB in any case. */
#include "klee/klee.h"
#include <sys/resource.h>
static int deep(int n) {
    volatile char here[1000]; //~ stack_overflow
    here[n] = 1;
    return n ? deep(n - 1) + here[n] : 0;
}
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    struct rlimit limit;
    getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = n < 100 ? 1 << 18 : 1 << 14;
    if (setrlimit(RLIMIT_STACK, &limit)) return 1;
    if (n < 100) return deep(200);
    return deep(100) + deep(n > 200 ? 140 : 100);
}
