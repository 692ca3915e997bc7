/* The neighbour of memcpy_length: the length is checked. */
#include "klee/klee.h"
#include <string.h>
static void h(const char *s, unsigned n) {
    char b[16];
    if (n <= sizeof b) memcpy(b, s, n);
}
int main(void) {
    char s[64] = "";
    h(s, klee_range(0, 65, "n"));
    return 0;
}
