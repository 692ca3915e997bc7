/* bytes: 2. Assumptions narrow the input; some outcomes become impossible. */
#include "klee/klee.h"
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    klee_assume(b[0] < 50);
    klee_assume(b[1] > b[0]);
    if (b[0] > 49) return 1;
    if (b[1] == 0) return 2;
    if (b[0] + b[1] == 30) return 3;
    if (b[1] - b[0] > 200) return 4;
    return 5;
}
