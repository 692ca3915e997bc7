/* A structure in memory among the arguments. */
#include <stdarg.h>
struct S { long a[5]; };
static long get(int n, ...) {
    va_list ap;
    long s = 0;
    va_start(ap, n);
    for (int i = 0; i < n; i++) {
        struct S x = va_arg(ap, struct S);
        s += x.a[4];
    }
    va_end(ap);
    return s;
}
int main(void) {
    struct S x = {{1, 2, 3, 4, 5}};
    return get(2, x, x) != 10;
}
