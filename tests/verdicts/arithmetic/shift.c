/* A shift by the width and more. */
#include "klee/klee.h"
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    return (1u << n) != 0; //~ shift
}
