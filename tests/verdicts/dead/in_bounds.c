/* Dead, but right: nothing is reported. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
struct S { long a[4]; };
static void h(struct S *p, const char *s, int i) {
    struct S t = *p;
    char b[16];
    memcpy(b, s, 16);
    memmove(b, b + 4, 12);
    memset(b, 0, sizeof b);
    b[i] = 1;
    *p = t;
    p->a[3];
    strlen(s);
}
int main(void) {
    struct S *p = calloc(1, sizeof *p);
    char s[16] = "";
    h(p, s, klee_range(0, 16, "i"));
    free(p);
    return 0;
}
