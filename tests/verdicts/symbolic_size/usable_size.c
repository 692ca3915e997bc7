#include <assert.h>
#include <klee/klee.h>
#include <malloc.h>
#include <stdlib.h>

int main(void) {
    int n = klee_range(0, 100, "n");
    char *p = malloc(n);
    if (!p) return 1;
    assert(malloc_usable_size(p) == n);
    assert(klee_get_obj_size(p) == n);
    return 0;
}
