/* A point on a circle of radius 13. */
#include "condition.h"

int main(void)
{
    double x, y;
    SYMBOLIC(x);
    SYMBOLIC(y);
    if (x > 1 && y > 1 && sqrt(x * x + y * y) == 13.0) FOUND;
    return 0;
}
