/* A shift that nobody uses. */
#include "klee/klee.h"
static void h(int n) {
    1u << n; //~ shift
}
int main(void) {
    h(klee_range(0, 40, "n"));
    return 0;
}
