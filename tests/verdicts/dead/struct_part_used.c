/* Of a copied structure only the part is used that is there. */
#include <stdlib.h>
struct S { long a, b, c; };
static long h(struct S *p) {
    struct S s = *p; //~ out_of_bounds
    return s.a;
}
int main(void) {
    struct S *p = calloc(1, 16);
    return h(p) != 0;
}
