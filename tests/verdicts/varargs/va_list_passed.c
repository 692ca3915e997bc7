/* The list is read by another function, too far. */
#include <stdarg.h>
static int next(va_list ap) {
    return va_arg(ap, int); //~ out_of_bounds
}
static int get(int n, ...) {
    va_list ap;
    va_start(ap, n);
    int s = next(ap) + next(ap);
    va_end(ap);
    return s;
}
int main(void) { return get(1, 5) == 100; }
