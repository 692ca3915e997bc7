/* A compound literal lives as long as its block. */
#include "klee/klee.h"
int main(void) {
    int *p = (int[]){1, 2, 3};
    int r = p[1];
    if (klee_range(0, 2, "c")) p = (int[]){4, 5};
    (void)p;
    return r != 2;
}
