#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    if (!p)
        return 1;
    *p = 1;
    int x = klee_range(0, 3, "x");
    if (x == 1)
        p = 0;
    if (x == 2)
        free(p);
    return *p; //~ null use_after_free
}
