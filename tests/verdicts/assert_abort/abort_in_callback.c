// Libc stands between two functions of the program.
// message: abort was called
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    if (*(const int *)a == 2)
        abort(); //~ abort
    return *(const int *)a - *(const int *)b;
}

int main(void) {
    int v[] = {3, 1, 2};
    qsort(v, 3, sizeof *v, compare);
    return v[0];
}
