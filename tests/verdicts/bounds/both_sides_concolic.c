// run: --mode concolic
// An address that is in no object: before one for some inputs and behind it for others. Runs of both decide at one place.
#include <klee/klee.h>

static char one[1];

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    if (x >= 8)
        return 0;
    long at = x == 3 ? -1 : 1;
    one[at] = 1; //~ out_of_bounds
    return 0;
}
