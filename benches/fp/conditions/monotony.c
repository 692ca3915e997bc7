/* A sum grows with its operand (z3#823). */
#include "condition.h"

int main(void)
{
    float a, b, y;
    SYMBOLIC(a);
    SYMBOLIC(b);
    SYMBOLIC(y);
    if (fabsf(a) <= 1000 && fabsf(b) <= 1000 && fabsf(y) <= 1000 && a <= b && a + y > b + y) FOUND;
    return 0;
}
