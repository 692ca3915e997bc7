/* Function pointers: tables, callbacks, structures of operations, comparisons. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*binary)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static const struct { char op; binary f; } table[] = {{'+', add}, {'-', sub}, {'*', mul}};

struct shape;
struct ops { double (*area)(const struct shape *); const char *(*name)(void); };
struct shape { const struct ops *ops; double a, b; };
static double rect_area(const struct shape *s) { return s->a * s->b; }
static double tri_area(const struct shape *s) { return s->a * s->b / 2; }
static const char *rect_name(void) { return "rect"; }
static const char *tri_name(void) { return "tri"; }
static const struct ops rect = {rect_area, rect_name}, tri = {tri_area, tri_name};

static void each(int *a, int n, void (*f)(int *, void *), void *data) { for (int i = 0; i < n; i++) f(a + i, data); }
static void accumulate(int *x, void *data) { *(long *)data += *x; }
static void square(int *x, void *data) { (void)data; *x *= *x; }

static binary choose(char c) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) if (table[i].op == c) return table[i].f;
    return NULL;
}
static binary (*chooser)(char) = choose;
static void state_b(int n);
static void state_a(int n) { printf("a%d ", n); if (n > 0) state_b(n - 1); }
static void (*volatile next)(int) = state_a;
static void state_b(int n) { printf("b%d ", n); if (n > 0) next(n - 1); }

/* Calls through other types than the functions have: results are dropped or cut off by the call. */
struct pair { long a, b; };
static int answer(int x) { return x + 41; }
static long large(void) { return 0x100000007; }
static struct pair both(long a) { return (struct pair){a, a + 1}; }
static long mismatched(long p, int q) {
    void (*volatile drop)(int) = (void (*)(int))answer;
    int (*volatile cut)(void) = (int (*)(void))large;
    long (*volatile first)(long) = (long (*)(long))both;
    void (*volatile neither)(long) = (void (*)(long))both;
    drop(1);
    neither(9);
    long a = cut(), b = first(3);
    return p * 1000 + q * 100 + a * 10 + b;
}

int main(void) {
    for (const char *p = "+-*/"; *p; p++) {
        binary f = chooser(*p);
        if (f) printf("%d ", f(7, 5)); else printf("none ");
    }
    printf("%d\n", choose('+') == add);
    struct shape shapes[] = {{&rect, 2, 3.5}, {&tri, 4, 5}};
    for (int i = 0; i < 2; i++) printf("%s %g\n", shapes[i].ops->name(), shapes[i].ops->area(&shapes[i]));
    int a[] = {1, 2, 3, 4};
    long total = 0;
    each(a, 4, square, NULL);
    each(a, 4, accumulate, &total);
    printf("%ld\n", total);
    state_a(5);
    puts("");
    size_t (*length)(const char *) = strlen;
    void *(*get)(size_t) = malloc;
    char *m = get(10);
    strcpy(m, "pointer");
    printf("%zu\n", length(m));
    free(m);
    printf("%ld\n", mismatched(1, 2));
    return choose('*')(6, 7);
}
