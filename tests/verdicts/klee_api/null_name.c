#include <klee/klee.h>

int main(void) {
    int x, y;
    klee_make_symbolic(&x, sizeof x, 0);
    klee_make_symbolic(&y, sizeof y, 0);
    return x == 1 ? y == 2 : 3;
}
