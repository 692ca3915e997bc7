#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    char *a = malloc(8);
    if (!a) return 1;
    free(a);
    klee_make_symbolic(a, 8, "a"); //~ use_after_free
    return a[1];
}
