/* The same square twice (z3#834). */
#include "condition.h"

int main(void)
{
    double x;
    SYMBOLIC(x);
    double y = x + 0;
    if (x * x - y * y < 0) FOUND;
    return 0;
}
