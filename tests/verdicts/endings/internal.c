// halted: internal errors
// status: 3
#include <klee/klee.h>

void __polypath_internal_error(void);

int main(void) {
    if (klee_int("x") == 3)
        __polypath_internal_error();
    return 0;
}
