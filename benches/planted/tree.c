// Insertions into and removals from a search tree; the bug is the removal of a node with two children below the root.
#define N 7
#include "input.h"

struct node {
    int key;
    struct node *left, *right;
};

static struct node nodes[N];
static int used;

static struct node **find(struct node **at, int key, int *depth) {
    for (*depth = 0; *at && (*at)->key != key; ++*depth) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    return at;
}

int main(void) {
    struct node *root = 0;
    read_input();
    for (int i = 0; i < N; i++) {
        int key = in[i] & 127, depth;
        struct node **at = find(&root, key, &depth);
        if (in[i] < 128) {
            if (*at) continue;
            *at = &nodes[used++];
            **at = (struct node){ key, 0, 0 };
        } else if (*at) {
            struct node *old = *at;
            if (old->left && old->right) {
                if (depth == 2 && old->left->right) planted();
                return 1;
            }
            *at = old->left ? old->left : old->right;
        }
    }
    return 0;
}
