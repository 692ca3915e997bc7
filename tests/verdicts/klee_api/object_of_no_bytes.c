#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    char *p = malloc(0), *q = malloc(x);
    if (!p || !q) return 1;
    return klee_get_obj_size(p) != 0 || klee_get_obj_size(q) != x;
}
