/* An equation with the exponential function of libm. */
#include "condition.h"

int main(void)
{
    double x;
    SYMBOLIC(x);
    if (x < -0.1 && fabs(exp(x) + x * x - 1) < 1e-9) FOUND;
    return 0;
}
