/* Fig. 1 of "Symbolic Execution of Floating-point Programs: How far are we?": its second condition. */
#include "condition.h"

int main(void)
{
    float a, b;
    SYMBOLIC(a);
    SYMBOLIC(b);
    if (cos(a) > log(b) && sin(a) < log(b)) FOUND;
    return 0;
}
