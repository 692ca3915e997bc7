/* The same, checked. */
#include "klee/klee.h"
#include <string.h>
int main(void) {
    char a[8] = "", b[8];
    int n = klee_int("n");
    if (n < 0 || n > 8) return 1;
    memcpy(b, a, n);
    return 0;
}
