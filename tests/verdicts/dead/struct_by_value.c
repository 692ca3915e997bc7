/* An argument in memory is copied from an object that is too short. */
#include <stdlib.h>
struct S { long a[8]; };
static void take(struct S s) { (void)s; } //~ out_of_bounds
static void h(struct S *p) {
    take(*p);
}
int main(void) {
    struct S *p = calloc(1, 32);
    h(p);
    free(p);
    return 0;
}
