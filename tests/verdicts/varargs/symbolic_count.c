/* The count is input. */
#include "klee/klee.h"
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
    return sum(klee_range(0, 4, "n"), 1, 2) == 100;
}
