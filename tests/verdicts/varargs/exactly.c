/* As many as were passed, in registers and on the stack. */
#include <stdarg.h>
static int sum(int n, ...) {
    va_list ap;
    int s = 0;
    va_start(ap, n);
    for (int i = 0; i < n; i++) s += va_arg(ap, int);
    va_end(ap);
    return s;
}
int main(void) {
    return sum(0) + sum(2, 1, 2) + sum(8, 1, 1, 1, 1, 1, 1, 1, 1) != 11;
}
