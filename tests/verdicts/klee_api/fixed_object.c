// halted: unsupported
#include <klee/klee.h>

int main(void) {
    volatile int *device = (volatile int *)0x10000;
    klee_define_fixed_object((void *)device, 4);
    *device = 1;
    return *device;
}
