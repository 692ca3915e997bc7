/* A member far from the null pointer. */
#include "klee/klee.h"
struct wide { char fill[2000]; int value; };
static struct wide one;
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    struct wide *p = n < 3 ? 0 : &one;
    return p->value; //~ null
}
