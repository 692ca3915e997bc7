/* Where the input is equal the comparison goes on behind the end. */
#include "klee/klee.h"
#include <string.h>
int main(void) {
    char a[4] = "abc", b[8] = "";
    klee_make_symbolic(b, sizeof b, "b");
    return memcmp(a, b, 8) == 0; //~ out_of_bounds
}
