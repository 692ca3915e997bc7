/* A load whose value arithmetic makes irrelevant. */
#include "klee/klee.h"
static int h(int *a, int i) {
    int x = a[i] * 3 + 1; //~ out_of_bounds
    int y = x / 2;
    return y & 0;
}
int main(void) {
    int a[4] = {0};
    return h(a, klee_range(0, 9, "i"));
}
