/* A rotation of the low 16 bits leaves the others. */
#include <assert.h>
int main(void) {
    unsigned x = 0x11223344;
    __asm__("rolw $4, %w0" : "+r"(x));
    assert(x == 0x11223443);
    unsigned long y = 0x1122334455667788;
    __asm__("roll $8, %k0" : "+r"(y));
    assert(y == 0x66778855);
    return 0;
}
