// A pointer behind the last element is none to complain of.
#include <stdlib.h>

int main(void) {
    int *a = malloc(10 * sizeof *a);
    if (!a) return 1;
    int *end = a + 10, n = 0;
    for (int *p = a; p != end; p++) *p = n++;
    return end[-1] != 9;
}
