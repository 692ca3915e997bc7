/* Two registers of result, and a call that takes one, or none. */
#include <assert.h>
struct pair { long a, b; };
static struct pair make(long a, long b) { return (struct pair){a, b}; }
static long first(long p, long q) {
    long (*volatile f)(long, long) = (long (*)(long, long))make;
    long r = f(p + 1, q + 1);
    return p * 100 + q * 10 + r;
}
static long none(long p, long q) {
    void (*volatile f)(long, long) = (void (*)(long, long))make;
    f(8, 9);
    return p * 10 + q;
}
int main(void) {
    assert(first(1, 2) == 122);
    assert(none(3, 4) == 34);
    return 0;
}
