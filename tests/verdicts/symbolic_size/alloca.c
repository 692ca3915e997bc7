#include <alloca.h>
#include <klee/klee.h>

int main(void) {
    unsigned n = klee_range(0, 50, "n");
    volatile char *a = alloca(n);
    if (n > 5) a[5] = 1;
    else a[n] = 1; //~ out_of_bounds
    return 0;
}
