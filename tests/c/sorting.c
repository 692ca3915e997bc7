/* qsort, bsearch, own heaps and lists. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned seed = 12345;
static unsigned rnd(void) { seed = seed * 1103515245u + 12345u; return seed >> 8; }

struct person { char name[12]; int age; double score; };

static int by_int(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
static int by_age(const void *a, const void *b) {
    const struct person *p = a, *q = b;
    return p->age != q->age ? p->age - q->age : strcmp(p->name, q->name);
}

static void sift(int *h, int n, int i) {
    for (;;) {
        int c = 2 * i + 1;
        if (c >= n) return;
        if (c + 1 < n && h[c + 1] > h[c]) c++;
        if (h[i] >= h[c]) return;
        int t = h[i]; h[i] = h[c]; h[c] = t;
        i = c;
    }
}

struct list { struct list *next; int v; };

static struct list *merge_sort(struct list *l) {
    if (!l || !l->next) return l;
    struct list *slow = l, *fast = l->next;
    while (fast && fast->next) { slow = slow->next; fast = fast->next->next; }
    struct list *r = merge_sort(slow->next);
    slow->next = NULL;
    l = merge_sort(l);
    struct list head, *tail = &head;
    while (l && r) {
        struct list **min = l->v <= r->v ? &l : &r;
        tail->next = *min; tail = *min; *min = (*min)->next;
    }
    tail->next = l ? l : r;
    return head.next;
}

int main(void) {
    int a[300], b[300];
    for (int i = 0; i < 300; i++) a[i] = b[i] = (int)(rnd() % 1000) - 500;
    qsort(a, 300, sizeof *a, by_int);
    for (int i = 149; i >= 0; i--) sift(b, 300, i);
    for (int n = 299; n > 0; n--) { int t = b[0]; b[0] = b[n]; b[n] = t; sift(b, n, 0); }
    printf("%d\n", memcmp(a, b, sizeof a));
    for (int i = 0; i < 300; i += 50) printf("%d ", a[i]);
    puts("");
    int key = a[123], *hit = bsearch(&key, a, 300, sizeof *a, by_int), miss = 501;
    printf("%d %d\n", hit && *hit == key, bsearch(&miss, a, 300, sizeof *a, by_int) == NULL);
    struct person people[50];
    for (int i = 0; i < 50; i++) {
        snprintf(people[i].name, sizeof people[i].name, "p%u", rnd() % 100);
        people[i].age = (int)(rnd() % 30);
        people[i].score = rnd() / 7.0;
    }
    qsort(people, 50, sizeof *people, by_age);
    for (int i = 0; i < 50; i += 7) printf("%s %d %.3f\n", people[i].name, people[i].age, people[i].score);
    struct list *l = NULL;
    for (int i = 0; i < 100; i++) { struct list *x = malloc(sizeof *x); x->v = (int)(rnd() % 777); x->next = l; l = x; }
    l = merge_sort(l);
    long check = 0;
    for (int i = 1; l; i++) { check += (long)i * l->v; struct list *x = l->next; free(l); l = x; }
    printf("%ld\n", check);
    return 0;
}
