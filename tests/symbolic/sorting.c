/* bytes: 2, finer. Sorting by the libc's qsort with symbolic keys. */
#include "klee/klee.h"
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const unsigned char *)a - *(const unsigned char *)b; }
int main(void) {
    unsigned char v[4] = {100, 0, 200, 0};
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    v[1] = b[0]; v[3] = b[1];
    qsort(v, 4, 1, compare);
    for (int i = 0; i < 3; i++) if (v[i] > v[i + 1]) return 99;
    if (v[0] == 100) return 1;
    if (v[3] == 200) return 2;
    if (v[1] == 100) return 3;
    return 4;
}
