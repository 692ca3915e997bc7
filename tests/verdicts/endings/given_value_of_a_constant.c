#include <klee/klee.h>

int main(void) {
    int x = klee_int("x");
    if (x != 5)
        return 0;
    return klee_get_value_i32(7) != 7;
}
