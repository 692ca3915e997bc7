// An assumption that some paths meet is none to complain of, in whichever order they come.
#include <klee/klee.h>

int main(void) {
    int x = klee_int("x"), y = klee_int("y");
    int z = x > 5 ? 1 : y > 3 ? 2 : 3;
    klee_assume(z == 2);
    return 0;
}
