// run: --strict
// halted: paths unsupported
// status: 4
#include <klee/klee.h>

int main(void) {
    if (klee_int("x") == 3)
        __asm__ volatile("cpuid" ::: "rax", "rbx", "rcx", "rdx");
    return 0;
}
