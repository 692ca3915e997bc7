#include <klee/klee.h>

int main(void) {
    klee_make_symbolic(0, 8, "a"); //~ null
    return 0;
}
