/* A variadic function called through a type without the dots, as old code does with printf. */
#include <assert.h>
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
    int (*volatile f)(int, int, int) = (int (*)(int, int, int))sum;
    assert(f(2, 30, 12) == 42);
    int (*volatile g)(int, int, int, int, int, int, int, int) =
        (int (*)(int, int, int, int, int, int, int, int))sum;
    assert(g(7, 1, 2, 3, 4, 5, 6, 7) == 28);
    return 0;
}
