/* A length below zero. */
// message: size -1
#include <string.h>
int main(void) {
    char b[8] = "";
    volatile int n = 0;
    memmove(b, b + 1, n - 1); //~ out_of_bounds
    return 0;
}
