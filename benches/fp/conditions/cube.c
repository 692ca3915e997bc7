/* The third root of 27. */
#include "condition.h"

int main(void)
{
    double x;
    SYMBOLIC(x);
    if (x * x * x == 27.0) FOUND;
    return 0;
}
