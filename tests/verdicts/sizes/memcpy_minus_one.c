/* A length that is -1. */
// message: size -1 (18446744073709551615)
#include <string.h>
int main(void) {
    char a[8] = "", b[8];
    volatile int n = -1;
    memcpy(b, a, n); //~ out_of_bounds
    return 0;
}
