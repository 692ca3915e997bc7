/* What libc calls has to be of the type that libc calls it as. */
// run: --cc-flag=-w
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
static int by_first(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
static int by_characters(const char *a, const char *b) { return *a - *b; }
static int by_value(int a, int b) { return a - b; }
static void nothing(const void *a, const void *b) {}
static void at_end(void) {}
static int old(c, s) char c; short s; { return c + s; }
typedef int compare(const void *, const void *);
int main(void) {
    unsigned char n;
    char text[] = "dcba";
    klee_make_symbolic(&n, sizeof n, "n");
    int (*any)() = old;
    atexit(at_end);
    if (old(n, n) != any(n, n)) return 1;
    switch (n) {
    case 0: qsort(text, 4, 1, by_first); break;
    case 1: qsort(text, 4, 1, (compare *)by_characters); break;
    case 2: qsort(text, 4, 1, (compare *)strcmp); break;
    case 3: qsort(text, 4, 1, (compare *)by_value); break; //~ function_type
    case 4: qsort(text, 4, 1, (compare *)nothing); break; //~ function_type
    }
    return 0;
}
