/* Nineteen numbers above 1 with a given sum (z3#2584). */
#include "condition.h"

int main(void)
{
    double a[19], sum = 0;
    SYMBOLIC(a);
    int above = 1;
    for (int i = 0; i < 19; i++) {
        above &= a[i] > 1;
        sum += a[i];
    }
    if (above && sum == 27.7) FOUND;
    return 0;
}
