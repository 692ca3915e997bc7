// run: --check memory,assert,leak
#include <assert.h>
#include <errno.h>
#include <klee/klee.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    if (x >= 128) return 0;
    void *p = 0, *before = &x;
    errno = 0;
    if (x < 64) {
        size_t align = (size_t)1 << x;
        p = memalign(align, 16);
        assert(!p == (x >= 35) && errno == (x >= 35 ? ENOMEM : 0));
        assert((uintptr_t)p % align == 0 || !p);
    } else if (x < 96) {
        p = before;
        int error = posix_memalign(&p, x - 64, 1);
        assert(error == (x == 64 + 8 || x == 64 + 16 ? 0 : EINVAL));
        if (error) {
            assert(p == before);
            return 0;
        }
    } else {
        p = aligned_alloc(x - 96, 16);
        assert(!p == ((x - 96 & x - 97) != 0) && errno == (p ? 0 : EINVAL));
    }
    free(p);
    return 0;
}
