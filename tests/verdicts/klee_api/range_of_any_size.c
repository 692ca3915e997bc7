// Ends of a range that depend on the input.
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    unsigned char low, high;
    klee_make_symbolic(&low, 1, "low");
    klee_make_symbolic(&high, 1, "high");
    int n = klee_range(low, high, "n"); //~ user
    assert(low < high && low <= n && n < high);
    assert(n != 200 || high != 201); //~ assert
    return 0;
}
