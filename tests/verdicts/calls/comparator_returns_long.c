/* qsort with a comparator that returns a long. */
#include <assert.h>
#include <stdlib.h>
static long compare(const int *a, const int *b) { return *a < *b ? -1 : *a > *b; }
int main(void) {
    int a[3] = {3, 1, 2};
    qsort(a, 3, sizeof *a, (int (*)(const void *, const void *))compare);
    assert(a[2] == 3);
    return 0;
}
