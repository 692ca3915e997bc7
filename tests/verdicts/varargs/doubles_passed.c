/* Doubles and integers in turn. */
#include <stdarg.h>
static double get(int n, ...) {
    va_list ap, copy;
    double d = 0;
    va_start(ap, n);
    va_copy(copy, ap);
    for (int i = 0; i < n; i++) {
        d += va_arg(ap, double);
        d += va_arg(ap, int);
        d += va_arg(copy, double);
        d += va_arg(copy, int);
    }
    va_end(copy);
    va_end(ap);
    return d;
}
int main(void) { return get(3, 0.5, 1, 0.5, 1, 0.5, 1) != 9; }
