/* A program's own operators are called by those that it leaves out, and what they get of malloc belongs to malloc. */
#include "klee/klee.h"
#include <assert.h>
#include <stdlib.h>
static int news, deletes;
void *operator new(size_t n) { news++; return malloc(n); }
void operator delete(void *p) noexcept { deletes++; free(p); }
struct alignas(64) Wide { int v[16]; };
struct Pooled {
    int v;
    static void *operator new(size_t n) { return calloc(1, n); }
    static void operator delete(void *p) { free(p); }
};
int main() {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n > 2) return 0;
    delete new int;
    delete[] new int[n];
    delete new Wide;
    delete new Pooled;
    assert(news == 2);
    assert(deletes == 2);
    free(new int[2]);
    assert(n != 2); //~ assert
    return 0;
}
