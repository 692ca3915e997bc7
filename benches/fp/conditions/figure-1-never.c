/* Fig. 1 of "Symbolic Execution of Floating-point Programs: How far are we?": the condition that nothing satisfies. */
#include "condition.h"

int main(void)
{
    float c;
    SYMBOLIC(c);
    c = c - 1.0;
    if (c == 1.1) FOUND;
    return 0;
}
