// run: --check memory,bounds
#include <klee/klee.h>
#include <stdlib.h>

struct s { long key; char name[8]; int more[2]; };

int main(void) {
    struct s *p = calloc(1, sizeof *p);
    int i = klee_range(-1, 9, "i");
    if (!p) return 1;
    p->name[i] = 'x'; //~ out_of_bounds
    return p->more[0];
}
