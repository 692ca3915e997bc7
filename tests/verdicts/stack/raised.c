/* The limit is the program's to raise, as it is natively. */
#include <sys/resource.h>
static int use(int i) {
    volatile char big[16 << 20];
    big[i] = 1;
    return big[i];
}
int main(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur != 8 << 20) return 2;
    limit.rlim_cur = 32 << 20;
    if (setrlimit(RLIMIT_STACK, &limit)) return 3;
    return use(7) != 1;
}
