/* Both ranges are there. */
// run: --check memory,memcmp
#include "klee/klee.h"
#include <string.h>
int main(void) {
    char a[8] = "abc", b[8] = "abX";
    klee_make_symbolic(b, sizeof b, "b");
    return memcmp(a, b, 8) == 0 ? 0 : memcmp(a, b, 0);
}
