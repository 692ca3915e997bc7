/* An equation with the power function of libm. */
#include "condition.h"

int main(void)
{
    double x;
    SYMBOLIC(x);
    if (pow(x, 2.5) == 32) FOUND;
    return 0;
}
