/* Initialised data: relocations, constructors, destructors, weak symbols, statics, thread locals. */
#include <stdio.h>
#include <stdlib.h>

extern int later;
static int numbers[] = {1, 2, 3, 4};
static int *const ends[] = {&numbers[0], &numbers[3], &later, numbers + 2};
static const char *const words[] = {"zero", "one", "two", NULL};
static struct node { struct node *next; const char *name; int (*f)(void); } a, b = {&a, "b", rand};
static struct node a = {&b, "a", 0};
int later = 17;
static char zeros[100000];
static double table[3][2] = {{1.5, 2.5}, {3.5}, {0, -1}};
static const wchar_t wide[] = L"wide";
static _Thread_local int tls = 5;
static _Thread_local char tls_buf[32] = "thread";
static int order;

int weakly(void) __attribute__((weak));
int given(void) __attribute__((weak));
int given(void) { return 3; }
static int hidden(void) { return 8; }
int aliased(void) __attribute__((alias("given")));

__attribute__((constructor(200))) static void second(void) { order = order * 10 + 2; }
__attribute__((constructor(150))) static void first(void) { order = order * 10 + 1; }
__attribute__((destructor)) static void last(void) { printf("destructor %d\n", order); }
static void at_exit_1(void) { puts("exit 1"); }
static void at_exit_2(void) { puts("exit 2"); }

static int counter(void) { static int n = 100; return n++; }

int main(void) {
    atexit(at_exit_1);
    atexit(at_exit_2);
    printf("%d\n", order);
    for (int i = 0; i < 4; i++) printf("%d ", *ends[i]);
    for (const char *const *w = words; *w; w++) printf("%s ", *w);
    printf("%s %s %d\n", a.next->name, b.next->name, b.f == rand);
    long sum = 0;
    for (unsigned i = 0; i < sizeof zeros; i += 1000) sum += zeros[i];
    printf("%ld %g %g %d\n", sum, table[1][0] + table[1][1], table[2][1], (int)wide[3]);
    counter(); counter();
    printf("%d\n", counter());
    tls += 10;
    tls_buf[0] = 'T';
    printf("%d %s %d %d %d %d\n", tls, tls_buf, weakly == NULL, given(), aliased(), hidden());
    exit(9);
}
