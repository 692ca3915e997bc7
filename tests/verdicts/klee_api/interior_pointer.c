// message: 4 bytes into the
#include <klee/klee.h>

int main(void) {
    int a[4];
    klee_make_symbolic(a + 1, 12, "a"); //~ user
    return a[1];
}
