// An element that a vector does not have.
#include <klee/klee.h>
typedef int four __attribute__((vector_size(16)));
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    klee_assume(x < 14);
    four v = {1, 2, 3, 4};
    if (x > 8) return v[x - 8]; //~ out_of_bounds
    v[x & 7] = 1; //~ out_of_bounds
    return v[0];
}
