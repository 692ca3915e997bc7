/* A structure is written to memory that is too short, and not read again. */
#include <stdlib.h>
struct S { long a, b, c; };
static void h(struct S *p) {
    struct S s = {3, 4, 5};
    *p = s; //~ out_of_bounds
}
int main(void) {
    struct S *p = malloc(16);
    h(p);
    free(p);
    return 0;
}
