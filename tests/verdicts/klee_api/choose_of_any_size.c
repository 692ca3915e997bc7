#include <assert.h>
#include <klee/klee.h>

int main(void) {
    unsigned char limit;
    klee_make_symbolic(&limit, 1, "limit");
    uintptr_t n = klee_choose(limit); //~ user
    assert(n < limit);
    assert(n != 200); //~ assert
    return 0;
}
