#include <klee/klee.h>

int main(void) {
    unsigned long n = klee_choose(3);
    int *none = 0;
    if (n == 2) *none = 1; //~ null
    if (n > 2) *none = 2;
    return n == 1;
}
