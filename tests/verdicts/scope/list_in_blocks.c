/* A list through blocks that are all still open. */
struct node { int value; struct node *next; };
static struct node *head;
static void push(struct node *n) {
    n->next = head;
    head = n;
}
int main(void) {
    struct node a = {1, 0};
    push(&a);
    {
        struct node b = {2, 0};
        push(&b);
        {
            struct node c = {3, 0};
            int sum = 0;
            push(&c);
            for (struct node *n = head; n; n = n->next) sum += n->value;
            if (sum != 6) return 1;
        }
        head = &b;
    }
    head = &a;
    return head->value != 1;
}
