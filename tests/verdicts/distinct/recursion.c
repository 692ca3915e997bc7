#include <klee/klee.h>

static int down(const int *p, int n, int depth) {
    if (depth == 0)
        return p[n]; //~ out_of_bounds
    return down(p, n, depth - 1);
}

int main(void) {
    int a[2] = {0, 0};
    unsigned char depth = klee_range(0, 30, "depth");
    return down(a, klee_range(0, 5, "n"), depth);
}
