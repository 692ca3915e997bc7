// run: --check memory,uninit
/* Some bits of an object are looked at after it was freed, when its page is gone. */
#include <stdlib.h>
#include "klee/klee.h"
struct large {
    unsigned flags;
    char rest[20000];
};
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    struct large *p = malloc(sizeof *p);
    if (!p) return 0;
    p->flags = n;
    if (n > 3) free(p);
    if (p->flags & 256) return 1; //~ use_after_free
    return 0;
}
