// halted: external function nobody_defines_this
#include <klee/klee.h>

extern int nobody_defines_this(int);

int main(void) {
    if (klee_int("x") == 3)
        return nobody_defines_this(3);
    return 0;
}
