/* An argument that was not passed, not used. */
#include <stdarg.h>
static void h(int n, ...) {
    va_list ap;
    va_start(ap, n);
    va_arg(ap, int); //~ out_of_bounds
    va_end(ap);
}
int main(void) {
    h(1);
    return 0;
}
