/* A constant table through a cast. */
#include "klee/klee.h"
static const int table[3] = {1, 2, 3};
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    int *p = (int *)table;
    p[n % 3] = 0; //~ readonly
    return 0;
}
