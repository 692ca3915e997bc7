#include <klee/klee.h>

int main(void) {
    return klee_choose(0); //~ user
}
