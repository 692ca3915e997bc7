/* A list that ends in a null pointer is read to its end. */
#include <stdarg.h>
#include <stddef.h>
static int count(const char *first, ...) {
    va_list ap;
    int n = 0;
    va_start(ap, first);
    for (const char *s = first; s; s = va_arg(ap, const char *)) n++;
    va_end(ap);
    return n;
}
int main(void) { return count("a", "b", "c", "d", "e", "f", "g", "h", (char *)NULL) != 8; }
