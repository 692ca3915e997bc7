/* The byte swap of 64 bits. */
#include <assert.h>
static unsigned long swap(unsigned long x) {
    __asm__("bswapq %0" : "=r"(x) : "0"(x));
    return x;
}
int main(void) {
    assert(swap(0x0102030405060708) == 0x0807060504030201);
    return 0;
}
