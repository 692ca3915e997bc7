/* Assembly that does nothing does nothing. */
#include <assert.h>
int main(void) {
    int x = 3;
    __asm__ volatile("" : "+r"(x) : : "memory");
    __asm__ volatile("nop");
    assert(x == 3);
    return 0;
}
