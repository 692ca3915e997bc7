/* Ranges that touch. */
#include "klee/klee.h"
#include <string.h>
int main(void) {
    char b[64] = "";
    unsigned n = klee_range(0, 17, "n");
    memcpy(b, b + 16, n);
    memcpy(b + 16, b, n);
    return 0;
}
