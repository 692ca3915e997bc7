// The array at the end may go on.
// run: --check memory,bounds
#include <stdlib.h>

struct s { int n; char name[1]; };

int main(void) {
    struct s *p = calloc(1, sizeof *p + 10);
    if (!p) return 1;
    for (int i = 0; i < 10; i++) p->name[i] = 'x';
    return p->n;
}
