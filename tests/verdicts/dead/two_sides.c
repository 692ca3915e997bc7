/* Equal loads on both sides of a branch stay two. */
#include "klee/klee.h"
static int h(int *p, int c) {
    int x;
    if (c) x = *p; //~ null
    else x = *p; //~ null
    return x & 0;
}
int main(void) {
    return h(0, klee_range(0, 2, "c"));
}
