// halted: klee_get_value
#include <klee/klee.h>

int main(void) {
    int x = klee_int("x");
    return klee_get_value_i32(x) == 5;
}
