#include <klee/klee.h>

int sign(int x) {
    if (x == 0) return 0;
    return x < 0 ? -1 : 1;
}

int main(void) {
    int a;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_assume(a > -70000);
    klee_assert(sign(a) * a * a >= a);
    return 0;
}
