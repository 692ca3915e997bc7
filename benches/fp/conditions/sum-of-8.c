/* Eight single-precision numbers with a given sum. */
#include "condition.h"

int main(void)
{
    float a[8], sum = 0;
    SYMBOLIC(a);
    for (int i = 0; i < 8; i++) sum += a[i];
    if (sum == 100) FOUND;
    return 0;
}
