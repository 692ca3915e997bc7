// A mapping in two parts, of which both can be read: what stands behind them cannot.
#define _GNU_SOURCE
#include <klee/klee.h>
#include <string.h>
#include <sys/mman.h>

int main(void) {
    unsigned n;
    klee_make_symbolic(&n, sizeof n, "n");
    char *m = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED) return 1;
    mprotect(m, 4096, PROT_READ);
    if (n < 9000) {
        klee_check_memory_access(m, n); //~ out_of_bounds
        return n > 8192;
    }
    klee_check_memory_access(m + 4000, n - 9000); //~ out_of_bounds
    return n > 9000 + 4192;
}
