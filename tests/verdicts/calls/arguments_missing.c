/* Fewer arguments than parameters, and more: what is there arrives. */
// run: --check memory,assert,div,shift,overlap,scope,varargs,libc
#include <assert.h>
static int three(int a, int b, int c) { (void)c; return a * 10 + b; }
static int one(int a) { return a; }
static int call(int p) {
    int (*volatile f)(int, int) = (int (*)(int, int))three;
    int (*volatile g)(int, int, int) = (int (*)(int, int, int))one;
    return f(1, 2) * 10 + g(3, 4, 5) + p * 1000;
}
int main(void) {
    assert(call(9) == 9123);
    return 0;
}
