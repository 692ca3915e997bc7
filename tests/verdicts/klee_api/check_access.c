#include <klee/klee.h>

int main(void) {
    int a[4];
    klee_check_memory_access(a, 17); //~ out_of_bounds
    return 0;
}
