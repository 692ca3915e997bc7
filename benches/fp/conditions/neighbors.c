/* Two numbers that are near to each other. */
#include "condition.h"

int main(void)
{
    double x, y;
    SYMBOLIC(x);
    SYMBOLIC(y);
    if (x > 1 && x != y && fabs(x - y) < 1e-9) FOUND;
    return 0;
}
