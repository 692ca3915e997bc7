/* A structure is copied from freed memory, and not used. */
#include <stdlib.h>
struct S { long a, b; };
static void h(struct S *p) {
    struct S s;
    s = *p; //~ use_after_free
}
int main(void) {
    struct S *p = calloc(1, sizeof *p);
    free(p);
    h(p);
    return 0;
}
