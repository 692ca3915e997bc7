#include <stdlib.h>

struct node { struct node *next; long value[6]; };

int main(void) {
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    if (!a || !b) return 1;
    b->next = 0;
    a[1].next = b; //~ out_of_bounds
    return 0;
}
