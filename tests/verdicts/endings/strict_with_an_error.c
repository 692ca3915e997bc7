// run: --strict --max-forks 1
// halted: forks limited
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int x = klee_int("x");
    if (x == 0)
        abort(); //~ abort
    if (x == 5)
        return 5;
    return x == 9 ? 9 : klee_int("y") > x;
}
