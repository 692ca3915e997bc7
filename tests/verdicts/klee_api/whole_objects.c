#include <klee/klee.h>
#include <stdlib.h>

static int table[3];

int main(void) {
    short x;
    char *heap = malloc(5);
    if (!heap) return 1;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(table, sizeof table, "table");
    klee_make_symbolic(heap, 5, "heap");
    return x > 0 ? table[0] > 3 : heap[4] == 'a';
}
