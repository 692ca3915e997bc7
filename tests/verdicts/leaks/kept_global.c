// run: --check memory,leak
/* A global variable leads to a list. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
static struct node { struct node *next; } *list;
int main(void) {
    for (int i = 0; i < 3; i++) {
        struct node *e = malloc(sizeof *e);
        if (!e) return 1;
        e->next = list;
        list = e;
    }
    return 0;
}
