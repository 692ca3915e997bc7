/* A conversion to an integer. */
#include "condition.h"

int main(void)
{
    double x;
    SYMBOLIC(x);
    if ((int)x == 42) FOUND;
    return 0;
}
