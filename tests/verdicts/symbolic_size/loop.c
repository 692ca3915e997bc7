#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int n = klee_range(0, 12, "n");
    int *p = malloc(n * sizeof *p);
    if (!p) return 1;
    for (int i = 0; i < n; i++) p[i] = i;
    int sum = 0;
    for (int i = 0; i < n; i++) sum += p[i];
    return sum != n * (n - 1) / 2;
}
