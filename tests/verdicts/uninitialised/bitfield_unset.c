// run: --check memory,uninit
/* A byte of which a part was written. */
#include "klee/klee.h"
struct bits { unsigned a : 3, b : 5; };
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    struct bits v;
    v.a = 1;
    if (x != 5) v.b = 2;
    if (v.a == 2) return 3;
    if (v.b == 2) return 0; //~ uninitialized
    return 0;
}
