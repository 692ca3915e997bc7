// What a symbolic pointer leads to leads on.
// run: --check leak
#include <klee/klee.h>
#include <stdlib.h>

struct node { struct node *next; } *table[16];

int main(void) {
    unsigned char i;
    klee_make_symbolic(&i, sizeof i, "i");
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    a->next = b;
    b->next = 0;
    table[i % 16] = a;
    return 0;
}
