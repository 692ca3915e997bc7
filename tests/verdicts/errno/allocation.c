// Allocation functions that fail say why.
#include <assert.h>
#include <errno.h>
#include <klee/klee.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    void *p = 0, *old = malloc(4);
    size_t huge = (size_t)-1 - 4096;
    errno = 0;
    switch (x) {
    case 0: p = malloc(huge); break;
    case 1: p = calloc(huge, 2); break;
    case 2: p = realloc(old, huge); break;
    case 3: p = realloc(0, huge); break;
    case 4: p = reallocarray(old, huge, 3); break;
    case 5: p = aligned_alloc(16, huge); break;
    case 6: p = memalign(16, huge); break;
    case 7: p = aligned_alloc(24, 8); assert(!p && errno == EINVAL); return 0;
    case 8: assert(posix_memalign(&p, 16, huge) == ENOMEM && errno == 0); return 0;
    case 9: assert(posix_memalign(&p, 24, 8) == EINVAL && errno == 0); return 0;
    default: p = malloc(8); assert(p && errno == 0); return 0;
    }
    assert(!p && errno == ENOMEM);
    assert(x != 5); //~ assert
    return 0;
}
