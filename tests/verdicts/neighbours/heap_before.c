// message: 8 bytes before the heap object of 24 bytes
#include <stdlib.h>

int main(void) {
    long *a = malloc(24), *b = malloc(24);
    if (!a || !b) return 1;
    b[-1] = 1; //~ out_of_bounds
    return a[0] == 1;
}
