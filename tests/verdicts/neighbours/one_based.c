// An array that begins at one, by a pointer before it.
#include <stdlib.h>

int main(void) {
    int *block = malloc(10 * sizeof *block);
    if (!block) return 1;
    int *volatile a = block - 1;
    for (int i = 1; i <= 10; i++) a[i] = i;
    return a[10] != 10;
}
