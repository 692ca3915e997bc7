#include <klee/klee.h>

int main(void) {
    unsigned char n, m;
    char a[100];
    klee_make_symbolic(&n, 1, "n");
    klee_make_symbolic(&m, 1, "m");
    klee_check_memory_access(a + 20, m % 81);
    klee_check_memory_access(a, n); //~ out_of_bounds
    return n > 100;
}
