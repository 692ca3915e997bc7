// message: is constant
#include <klee/klee.h>

static const int limits[2] = {1, 2};
const int *volatile keep = limits;

int main(void) {
    klee_make_symbolic((void *)limits, sizeof limits, "limits"); //~ user
    return keep[0];
}
