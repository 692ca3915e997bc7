/* Near a root of a polynomial of degree 5. */
#include "condition.h"

int main(void)
{
    double x;
    SYMBOLIC(x);
    double p = ((((x - 3) * x + 1) * x - 7) * x + 2) * x - 5;
    if (fabs(p) < 1e-6) FOUND;
    return 0;
}
