/* A plain function called through a variadic type. */
#include <assert.h>
static int sub(int a, int b) { return a - b; }
int main(void) {
    int (*volatile f)(int, ...) = (int (*)(int, ...))sub;
    assert(f(44, 2) == 42);
    return 0;
}
