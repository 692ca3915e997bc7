// Functions that give back the address that they were given, or one in the same variable.
#include <klee/klee.h>
#include <string.h>
void *mempcpy(void *, const void *, size_t);

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    char *p = 0;
    { char a[4] = {1, 2, 3, 4}; p = memchr(a, 3, 4); if (*p != 3) return 1; }
    if (x == 1) return *p; //~ use_after_free
    { char b[4]; p = mempcpy(b, "ab", 2); if (p != b + 2) return 1; }
    if (x == 2) return p[-1]; //~ use_after_free
    { char c[4]; p = (memset)(c, x, 4); }
    if (x == 3) return p[1]; //~ use_after_free
    { char d[4]; p = (memcpy)(d, "abc", 4); }
    if (x == 4) return p[1]; //~ use_after_free
    { char e[4] = {1, 2, 3, 4}; p = (memmove)(e + 1, e, 2); }
    if (x == 5) return p[1]; //~ use_after_free
    for (int i = 0; i < 3; i++) {
        char f[4] = {1, 2, 3, 4};
        char *q = memchr(f, 3, 4);
        if (!q || q - f != 2 || strlen(memset(f + 1, 0, 3)) != 0) return 2;
    }
    return 0;
}
