/* A double is read where only integers were passed. */
#include <stdarg.h>
static double get(int n, ...) {
    va_list ap;
    va_start(ap, n);
    double d = va_arg(ap, double); //~ out_of_bounds
    va_end(ap);
    return d;
}
int main(void) { return get(1, 5) > 100; }
