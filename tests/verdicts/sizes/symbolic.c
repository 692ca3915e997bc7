/* A length that is input, and may be negative. */
#include "klee/klee.h"
#include <string.h>
int main(void) {
    char a[8] = "", b[8];
    int n = klee_int("n");
    if (n > 8) return 1;
    memcpy(b, a, n); //~ out_of_bounds
    return 0;
}
