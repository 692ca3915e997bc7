#include <klee/klee.h>

int main(void) {
    int a[2] = {0, 0}, i = klee_range(0, 9, "i"), j = klee_range(0, 9, "j");
    return a[i] + a[j]; //~ out_of_bounds
}
