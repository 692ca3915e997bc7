#include <klee/klee.h>

volatile double result;

int main(void)
{
    float x;
    klee_make_symbolic(&x, sizeof x, "x");
    if (x != x)
        return 1;
    result = 1 / x;
    return (int)x;
}
