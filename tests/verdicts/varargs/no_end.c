/* The null pointer at the end of the list was forgotten. */
#include <stdarg.h>
static int count(const char *first, ...) {
    va_list ap;
    int n = 0;
    va_start(ap, first);
    for (const char *s = first; s; s = va_arg(ap, const char *)) n++; //~ out_of_bounds
    va_end(ap);
    return n;
}
int main(void) { return count("a", "b") == 100; }
