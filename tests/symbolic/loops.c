/* bytes: 2. A loop bounded by one byte, that leaves early for another. */
#include "klee/klee.h"
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    unsigned sum = 0;
    for (unsigned i = 0; i < (b[0] & 15); i++) {
        if (i == b[1]) return 200;
        sum += i;
    }
    return (int)sum;
}
