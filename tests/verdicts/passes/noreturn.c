// A promise not to return that is broken.
#include <klee/klee.h>
#include <stdlib.h>
__attribute__((noinline)) _Noreturn void die(int x) {
    if (x == 3) return;
    exit(7);
}
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    if (x < 9) die(x); //~ unreachable
    return 0;
}
