// The other path is not touched.
// halted: fork
#include <klee/klee.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    int x = klee_int("x");
    if (x == 1) {
        fork();
        abort();
    }
    if (x == 2)
        abort(); //~ abort
    return 0;
}
