// message: 12 bytes are asked for
#include <klee/klee.h>

int main(void) {
    int a[4];
    klee_make_symbolic(a, 12, "a"); //~ user
    return a[1];
}
