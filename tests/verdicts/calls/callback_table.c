/* Callbacks of several types in one table, as interpreters have them. */
#include <assert.h>
static int total;
static void add(int x) { total += x; }
static int twice(int x) { return total += 2 * x; }
static char *name(int x) { total += x; return "name"; }
typedef void (*callback)(int);
static callback table[] = {add, (callback)twice, (callback)name};
static int run(int a, int b, int c) {
    for (int i = 0; i < 3; i++) table[i](i + 1);
    return a * 100 + b * 10 + c;
}
int main(void) {
    assert(run(1, 2, 3) == 123);
    assert(total == 8);
    return 0;
}
