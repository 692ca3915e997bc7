#include <klee/klee.h>

int main(void) {
    return klee_range(3, 3, "x"); //~ user
}
