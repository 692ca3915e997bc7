// Where posix_memalign puts its result depends on the input, in a way that takes several tries.
// run: --check memory,leak
#include <klee/klee.h>
#include <stdlib.h>

static void *a, *b;
static void **const places[] = {&a, &b};

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    void **to = places[x & 1];
    if (posix_memalign(to, 32, 64)) return 1;
    free(*to);
    *to = 0;
    return 0;
}
