/* Called as it is, through a type without a prototype, and by pointers that differ only in what they point to. */
// run: --check function-type
#include <stdlib.h>
static int g(int x) { return x; }
static int none(void) { return 3; }
static int compare(const int *a, const int *b) { return *a - *b; }
int main(void) {
    int (*volatile f)(int) = g;
    int (*volatile old)() = (int (*)())g;
    int (*volatile empty)() = (int (*)())none;
    int a[2] = {2, 1};
    qsort(a, 2, sizeof *a, (int (*)(const void *, const void *))compare);
    return f(1) + old(2) + empty() + a[0] != 7;
}
