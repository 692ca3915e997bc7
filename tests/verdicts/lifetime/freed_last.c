/* The correct neighbour: each element is read before it is freed. */
#include "klee/klee.h"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
struct node { struct node *next; int value; };
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    struct node *list = 0;
    for (int i = 0; i < n % 4; i++) {
        struct node *e = malloc(sizeof *e);
        if (!e) break;
        e->next = list;
        e->value = i;
        list = e;
    }
    int sum = 0;
    while (list) {
        struct node *next = list->next;
        sum += list->value;
        free(list);
        list = next;
    }
    return sum;
}
