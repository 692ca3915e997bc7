/* The destination lies before the source. */
#include "klee/klee.h"
#include <string.h>
int main(void) {
    char b[64] = "";
    unsigned n = klee_range(0, 24, "n");
    memcpy(b, b + 16, n); //~ overlap
    return 0;
}
