/* One more than the stack holds. */
#include <stdarg.h>
static int sum(int n, ...) {
    va_list ap;
    int s = 0;
    va_start(ap, n);
    for (int i = 0; i < n; i++) s += va_arg(ap, int); //~ out_of_bounds
    va_end(ap);
    return s;
}
int main(void) {
    return sum(9, 1, 2, 3, 4, 5, 6, 7, 8) == 100;
}
