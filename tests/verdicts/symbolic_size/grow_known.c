#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    int n = klee_range(4, 100, "n");
    char *p = malloc(4);
    if (!p) return 1;
    memcpy(p, "abcd", 4);
    p = realloc(p, n);
    if (!p) return 1;
    assert(!memcmp(p, "abcd", 4));
    if (n > 50) p[50] = 'e';
    assert(n <= 50 || p[50] == 'e');
    p = realloc(p, 8);
    if (!p) return 1;
    assert(!memcmp(p, "abcd", 4));
    return 0;
}
