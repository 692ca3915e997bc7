/* A number that is lost in a sum. */
#include "condition.h"

int main(void)
{
    double x, y;
    SYMBOLIC(x);
    SYMBOLIC(y);
    if (y != 0 && x - x == 0 && x + y == x) FOUND;
    return 0;
}
