// halted: internal errors
#include <klee/klee.h>
#include <stdlib.h>

void __polypath_internal_error(void);

int main(void) {
    int x = klee_int("x");
    if (x == 3)
        __polypath_internal_error();
    if (x == 4)
        abort(); //~ abort
    return 0;
}
