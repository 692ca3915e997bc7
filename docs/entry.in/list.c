#include <stdlib.h>

struct node { int value; struct node *next; };

/* Inserts a value into a list that is in order, and returns the list. */
struct node *list_insert(struct node *list, int value) {
    struct node **at = &list, *node = malloc(sizeof *node);
    while ((*at)->value < value && (*at)->next) at = &(*at)->next;
    node->value = value;
    node->next = *at;
    *at = node;
    return list;
}
