/* Three linear equations. */
#include "condition.h"

int main(void)
{
    double x, y, z;
    SYMBOLIC(x);
    SYMBOLIC(y);
    SYMBOLIC(z);
    if (x + y + z == 6 && 2 * y + 5 * z == -4 && 2 * x + 5 * y - z == 27) FOUND;
    return 0;
}
