// A large object is as far from the next one as it is large.
// message: heap object of 1000000 bytes
#include <stdlib.h>

int main(void) {
    char *a = malloc(1000000), *b = malloc(1000000);
    if (!a || !b) return 1;
    a[1900000] = 1; //~ out_of_bounds
    return b[0];
}
