/* The malloc family and pointer structures on the heap. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tree { struct tree *left, *right; int key; };
static struct tree *insert(struct tree *t, int key) {
    if (!t) { t = calloc(1, sizeof *t); t->key = key; return t; }
    if (key < t->key) t->left = insert(t->left, key); else if (key > t->key) t->right = insert(t->right, key);
    return t;
}
static int height(const struct tree *t) { if (!t) return 0; int l = height(t->left), r = height(t->right); return 1 + (l > r ? l : r); }
static long walk(struct tree *t, long acc) { if (!t) return acc; acc = walk(t->left, acc); acc = acc * 7 + t->key; return walk(t->right, acc) % 1000000007; }
static void drop(struct tree *t) { if (t) { drop(t->left); drop(t->right); free(t); } }

int main(void) {
    struct tree *t = NULL;
    unsigned x = 1;
    for (int i = 0; i < 500; i++) { x = x * 1664525u + 1013904223u; t = insert(t, (int)(x >> 20)); }
    printf("%d %ld\n", height(t), walk(t, 0));
    drop(t);
    char *s = malloc(1);
    size_t n = 0;
    for (int i = 0; i < 300; i++) { s = realloc(s, n + 2); s[n++] = (char)('a' + i % 26); s[n] = 0; }
    printf("%zu %c%c %.5s\n", strlen(s), s[0], s[299], s + 100);
    s = realloc(s, 4);
    s[3] = 0;
    puts(s);
    free(s);
    int *z = calloc(100, sizeof *z), bad = 0;
    for (int i = 0; i < 100; i++) bad += z[i] != 0;
    printf("%d\n", bad);
    free(z);
    void *p = aligned_alloc(64, 256);
    printf("%d ", (int)((uintptr_t)p % 64));
    free(p);
    printf("%d ", posix_memalign(&p, 128, 100));
    printf("%d ", (int)((uintptr_t)p % 128));
    free(p);
    free(NULL);
    volatile size_t huge = SIZE_MAX / 2;
    void *volatile none = calloc(huge, 4);
    printf("%d\n", none == NULL);
    char *grid[20];
    for (int i = 0; i < 20; i++) { grid[i] = malloc((size_t)i + 1); memset(grid[i], 'A' + i, (size_t)i); grid[i][i] = 0; }
    for (int i = 0; i < 20; i += 2) free(grid[i]);
    for (int i = 1; i < 20; i += 6) puts(grid[i]);
    for (int i = 1; i < 20; i += 2) free(grid[i]);
    unsigned char *big = malloc(3 << 20);
    for (size_t i = 0; i < 3 << 20; i += 4096) big[i] = (unsigned char)(i >> 12);
    unsigned sum = 0;
    for (size_t i = 0; i < 3 << 20; i += 4096) sum += big[i];
    printf("%u\n", sum);
    free(big);
    return 0;
}
