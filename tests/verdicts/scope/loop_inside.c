/* A scope that is entered again and again. */
#include "klee/klee.h"
static int *kept;
static void keep(int *p) { kept = p; }
int main(void) {
    int sum = 0, n = klee_range(0, 5, "n");
    for (int i = 0; i < n; i++) {
        int x = i;
        keep(&x);
        sum += *kept;
    }
    return sum > 100;
}
