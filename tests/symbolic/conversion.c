/* bytes: 2, finer. strtol of the libc. */
#include "klee/klee.h"
#include <stdlib.h>
int main(void) {
    char in[2];
    klee_make_symbolic(in, sizeof in, "in");
    char s[3] = {in[0], in[1], 0};
    char *end;
    long v = strtol(s, &end, 16);
    if (end == s) return 1;
    if (*end) return 2;
    if (v < 0) return 3;
    if (v == 0x1f) return 4;
    if (v > 0xe0) return 5;
    return 6;
}
