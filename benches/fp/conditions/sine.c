/* A value of a function of libm, whose code is run. */
#include "condition.h"

int main(void)
{
    double x;
    SYMBOLIC(x);
    if (sin(x) > 0.5) FOUND;
    return 0;
}
