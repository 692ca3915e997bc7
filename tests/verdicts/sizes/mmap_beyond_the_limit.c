// halted: a mapping of more memory than there is here
#include <klee/klee.h>
#include <sys/mman.h>

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    size_t n = x == 1 ? 1UL << 40 : 4096;
    return mmap(0, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}
