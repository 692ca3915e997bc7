/* The ranges differ before the shorter one ends, whatever the input. */
#include "klee/klee.h"
#include <string.h>
int main(void) {
    char a[4] = "abc", b[8] = "";
    klee_make_symbolic(b, sizeof b, "b");
    if (b[1] == 'b') return 0;
    return memcmp(a, b, 8) == 0;
}
