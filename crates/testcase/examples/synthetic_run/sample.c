/* A small calculator over "NUMBER OP NUMBER", with mistakes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK 4

struct stack {
    int values[STACK];
    int depth;
};

static void push(struct stack *s, int value)
{
    s->values[s->depth++] = value; // no check against STACK
}

static int pop(struct stack *s)
{
    if (s->depth == 0) {
        fprintf(stderr, "stack is empty\n");
        exit(2);
    }
    return s->values[--s->depth];
}

static int apply(char op, int a, int b)
{
    switch (op) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    default:
        fprintf(stderr, "unknown operator '%c'\n", op);
        exit(2);
    }
}

static void usage(const char *name)
{
    printf("usage: %s EXPRESSION\n", name);
    printf("  numbers and + - * / in postfix order\n");
}

int main(int argc, char **argv)
{
    struct stack s = { .depth = 0 };
    if (argc < 2 || !strcmp(argv[1], "--help")) {
        usage(argv[0]);
        return argc < 2;
    }
    for (const char *p = argv[1]; *p; p++) {
        if (*p >= '0' && *p <= '9') {
            push(&s, *p - '0');
        } else if (*p == ' ') {
            continue;
        } else {
            int b = pop(&s), a = pop(&s);
            push(&s, apply(*p, a, b));
        }
    }
    printf("%d\n", pop(&s));
    return 0;
}
