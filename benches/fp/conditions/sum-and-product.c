/* Two coupled equations. */
#include "condition.h"

int main(void)
{
    double x, y;
    SYMBOLIC(x);
    SYMBOLIC(y);
    if (x + y == 10 && x * y == 21) FOUND;
    return 0;
}
