// message: assertion failed: n >= 0 && "no negative sizes"
#include <assert.h>
#include <klee/klee.h>

static int half(int n) {
    assert(n >= 0 && "no negative sizes"); //~ assert
    return n / 2;
}

int main(void) {
    int n = klee_int("n");
    return half(n) > 5;
}
