// run: --memory 400
// halted: ended for memory
#include <klee/klee.h>

static char big[100 << 20];

int main(void) {
    klee_make_symbolic(big, sizeof big, "big");
    return big[5] == 3;
}
