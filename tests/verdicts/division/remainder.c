/* So does its remainder. */
#include <limits.h>
int main(void) {
    volatile int a = INT_MIN, b = -1;
    return a % b == 3; //~ overflow
}
