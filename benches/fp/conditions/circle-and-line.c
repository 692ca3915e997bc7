/* Where a line meets a circle. */
#include "condition.h"

int main(void)
{
    double x, y;
    SYMBOLIC(x);
    SYMBOLIC(y);
    if (x * x + y * y == 25 && x - y == 1) FOUND;
    return 0;
}
