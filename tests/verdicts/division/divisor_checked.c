/* Neither is possible. */
#include "klee/klee.h"
int main(void) {
    int a = klee_int("a"), b = klee_int("b");
    return b > 0 ? a / b == 3 : 0;
}
