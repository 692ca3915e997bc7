// The program's own functions of the C library's names run.
#include <assert.h>
#include <klee/klee.h>
#include <stddef.h>
void *memmove(void *d, const void *s, size_t n) {
    char *a = d;
    const char *b = s;
    for (size_t i = 0; i < n; i++) a[i] = b[i];
    return d;
}
void *memset(void *d, int c, size_t n) {
    for (size_t i = 0; i + 1 < n; i++) ((char *)d)[i] = c;
    return d;
}
void *memcpy(void *d, const void *s, size_t n) {
    for (size_t i = 0; i < n; i++) ((char *)d)[i] = ((const char *)s)[n - 1 - i];
    return d;
}
double floor(double x) { return x == 4 ? 5 : x; }
float ceilf(float x) { return x + 1; }
int main(void) {
    unsigned char which, n;
    klee_make_symbolic(&which, 1, "which");
    klee_make_symbolic(&n, 1, "n");
    klee_assume(n < 5);
    char b[8] = "abcdefg", c[8] = "abcdefg";
    switch (which) {
    case 0: memmove(b + 1, b, n); assert(b[3] != 'a'); break; //~ assert
    case 1: memset(b, 'x', n); assert(n < 2 || b[n - 1] == 'x'); break; //~ assert
    case 2: memcpy(b, c, n); assert(b[0] == 'a'); break; //~ assert
    case 3: assert(floor(n) == n); break; //~ assert
    case 4: assert(ceilf(n) == n); break; //~ assert
    }
    return 0;
}
