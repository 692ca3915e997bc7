#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    char *a = malloc(8);
    if (!a) return 1;
    klee_make_symbolic(a, 16, "a"); //~ user
    return a[1];
}
