/* A remainder is smaller than the divisor. */
#include "condition.h"

int main(void)
{
    double x, y;
    SYMBOLIC(x);
    SYMBOLIC(y);
    if (fabs(fmod(x, y)) > fabs(y)) FOUND;
    return 0;
}
