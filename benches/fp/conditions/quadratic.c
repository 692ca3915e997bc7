/* The coefficients of a quadratic equation with a given root. */
#include "condition.h"

int main(void)
{
    double a, b, c;
    SYMBOLIC(a);
    SYMBOLIC(b);
    SYMBOLIC(c);
    double d = b * b - 4 * a * c;
    if (a > 1 && d > 0 && (-b + sqrt(d)) / (2 * a) == 2.5) FOUND;
    return 0;
}
