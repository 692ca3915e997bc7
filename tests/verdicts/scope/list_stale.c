/* The list still names a node of a block that was left. */
struct node { int value; struct node *next; };
static struct node *head;
static void push(struct node *n) {
    n->next = head;
    head = n;
}
int main(void) {
    struct node a = {1, 0};
    int sum = 0;
    push(&a);
    {
        struct node b = {2, 0};
        push(&b);
    }
    for (struct node *n = head; n; n = n->next) //~ use_after_free
        sum += 1;
    return sum > 9;
}
