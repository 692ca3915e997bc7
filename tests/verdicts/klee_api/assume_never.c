// message: assumption cannot hold
#include <klee/klee.h>

int main(void) {
    int x = klee_int("x");
    klee_assume(x > 5);
    klee_assume(x < 3); //~ user
    return 0;
}
