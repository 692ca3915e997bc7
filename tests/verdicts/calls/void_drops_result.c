/* The called function returns a value that the call does not take: the caller's variables stay. */
#include <assert.h>
static int g(int x) { return x + 41; }
static int keep(int p) {
    void (*volatile f)(int) = (void (*)(int))g;
    f(1);
    return p;
}
int main(void) {
    assert(keep(7) == 7);
    return 0;
}
