/* A list element is written after its list was freed. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
struct node { struct node *next; int value; };
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    struct node *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    if (!a || !b) return 0;
    a->next = b;
    if (n & 1) free(b);
    a->next->value = 3; //~ use_after_free
    return 0;
}
