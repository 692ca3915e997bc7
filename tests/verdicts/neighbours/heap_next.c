// message: 16 bytes past the end of the heap object of 64 bytes
#include <stdlib.h>

int main(void) {
    char *a = malloc(64), *b = malloc(64);
    if (!a || !b) return 1;
    a[80] = 1; //~ out_of_bounds
    return b[0];
}
