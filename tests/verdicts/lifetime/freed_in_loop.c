/* The loop reads the element's link after it was freed. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
struct node { struct node *next; };
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    struct node *list = 0;
    for (int i = 0; i < n % 3; i++) {
        struct node *e = malloc(sizeof *e);
        if (!e) break;
        e->next = list;
        list = e;
    }
    for (; list; list = list->next) //~ use_after_free
        free(list);
    return 0;
}
