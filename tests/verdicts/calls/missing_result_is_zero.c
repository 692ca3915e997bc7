/* A call that takes a result of a function that has none: undefined values are zero here. */
// run: --check memory,assert,div,shift,overlap,scope,varargs,libc
#include <assert.h>
static int sink;
static void g(int x) { sink = x; }
static int keep(int p) {
    int (*volatile f)(int) = (int (*)(int))g;
    int r = f(5);
    return r + p;
}
int main(void) {
    assert(keep(7) == 7 && sink == 5);
    return 0;
}
