/* A length below zero. */
// message: size -5 (18446744073709551611)
#include <string.h>
int main(void) {
    char b[8];
    volatile long n = 3;
    memset(b, 0, n - 8); //~ out_of_bounds
    return 0;
}
