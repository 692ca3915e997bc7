#include <klee/klee.h>

char first[64], second[64];

int main(void) {
    unsigned char i;
    klee_make_symbolic(&i, sizeof i, "i");
    first[i] = 1; //~ out_of_bounds
    return second[4];
}
