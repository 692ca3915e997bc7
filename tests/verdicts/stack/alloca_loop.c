// The memory of an alloca stays until its function returns.
#include <alloca.h>
int main(void) {
    volatile char *p = 0;
    for (int i = 0; i < 9; i++) {
        p = alloca(1 << 20); //~ stack_overflow
        p[i] = 1;
    }
    return p[8] != 1;
}
