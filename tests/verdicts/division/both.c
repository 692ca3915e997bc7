/* Two errors of one division. */
#include "klee/klee.h"
int main(void) {
    return klee_int("a") / klee_int("b") == 3; //~ div_zero overflow
}
