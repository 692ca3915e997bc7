// run: --memory 400
#include <klee/klee.h>

static char small[1 << 10];

int main(void) {
    klee_make_symbolic(small, sizeof small, "small");
    return small[5] == 3;
}
