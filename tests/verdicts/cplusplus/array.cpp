/* An element behind new[]. */
#include "klee/klee.h"
int main() {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    int *a = new int[5]();
    int v = n <= 5 ? a[n] : 0; //~ out_of_bounds
    delete[] a;
    return v;
}
