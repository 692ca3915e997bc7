/* It traps natively: an error without its check, too. */
// run: --check memory
#include <limits.h>
int main(void) {
    volatile int a = INT_MIN, b = -1;
    return a / b == 3; //~ overflow
}
