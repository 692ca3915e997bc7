#include <klee/klee.h>

static int get(const int *p, int i) { return p[i]; } //~ out_of_bounds

int main(void) {
    int a[2] = {0, 0}, b[3] = {0, 0, 0};
    int i = klee_range(0, 9, "i");
    int first = get(a, i);
    return first + get(b, i + 1);
}
