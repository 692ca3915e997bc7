// message: abort was called
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    if (klee_int("x") == 3)
        abort(); //~ abort
    return 0;
}
