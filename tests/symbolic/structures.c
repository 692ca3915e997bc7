/* bytes: 2. Copies of structures, bit-fields, function pointers. */
#include "klee/klee.h"
struct s { unsigned lo : 4, hi : 4; unsigned char other; };
static int low(struct s v) { return v.lo; }
static int high(struct s v) { return v.hi + 16; }
int main(void) {
    struct s v = {0, 0, 0};
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    v.lo = b[0]; v.hi = b[0] >> 4; v.other = b[1];
    struct s w = v;
    w.lo++;
    int (*f)(struct s) = w.other & 1 ? low : high;
    int r = f(w);
    if (r == 0) return 40;
    if (w.hi == w.lo) return 41;
    return r > 16 ? 42 : 43;
}
