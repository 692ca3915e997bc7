// What a kernel would do and the model does not is named.
// halted: mmap at an address of the program's choice
// halted: mremap that may not move
#define _GNU_SOURCE
#include <klee/klee.h>
#include <sys/mman.h>
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    if (x == 1) return mmap((void *)0x10000000, 4096, PROT_READ, flags | MAP_FIXED, -1, 0) == MAP_FAILED;
    char *m = mmap(0, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (x == 2) return mremap(m, 4096, 8192, 0) == MAP_FAILED;
    return 0;
}
