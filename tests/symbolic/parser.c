/* bytes: 2. A small number parser. */
#include "klee/klee.h"
int main(void) {
    char in[2];
    klee_make_symbolic(in, sizeof in, "in");
    char s[3] = {in[0], in[1], 0};
    int sign = 1, v = 0, digits = 0;
    const char *p = s;
    if (*p == '-') { sign = -1; p++; }
    while (*p >= '0' && *p <= '9') { v = v * 10 + *p++ - '0'; digits++; }
    if (!digits) return 100;
    if (*p) return 101;
    return sign * v + 110;
}
