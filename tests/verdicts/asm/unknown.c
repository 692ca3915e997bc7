/* What is not known is named with its text. */
// halted: unsupported
// message: inline assembly `crc32l
#include "klee/klee.h"
int main(void) {
    int x = 1;
    if (klee_range(0, 2, "c")) __asm__ volatile("crc32l %1, %0" : "+r"(x) : "r"(2));
    return 0;
}
