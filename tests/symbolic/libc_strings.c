/* bytes: 2, finer. The libc's string functions on symbolic text. */
#include "klee/klee.h"
#include <string.h>
int main(void) {
    char in[2];
    klee_make_symbolic(in, sizeof in, "in");
    char s[3] = {in[0], in[1], 0};
    int r = 0;
    if (strlen(s) == 1) r |= 1;
    if (strcmp(s, "ab") == 0) r |= 2;
    if (strchr(s, 'x')) r |= 4;
    if (memcmp(s, "zz", 2) > 0) r |= 8;
    return r;
}
