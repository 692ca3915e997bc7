/* The result of a function that ended without a value: to get it is no error, to use it is one. */
// run: --check memory,uninit --cc-flag=-Wno-return-type
#include "klee/klee.h"
#include <stdlib.h>
struct large { int a, b, c, d, e; };
struct small { int a, b; };
static int none(int x) { (void)x; }
static int some(int x) { if (x > 3) return 1; }
static int choose(int x) { switch (x) { case 200: return 4; } }
static double real(int x) { if (x > 100) return 1; }
static long double longer(int x) { if (x > 100) return 1; }
static int *pointer(int x) { static int v = 1; if (x > 100) return &v; }
static struct large by_memory(int x) { if (x > 100) { struct large r = {1, 2, 3, 4, 5}; return r; } }
static struct small in_registers(int x) { if (x > 100) { struct small r = {1, 2}; return r; } }
static int passed_on(int x) { return some(x); }
static _Bool truth(int x) { if (x > 100) return x > 120; }
int main(void) {
    unsigned char n, v;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_make_symbolic(&v, sizeof v, "v");
    none(v); some(v); choose(v); real(v); longer(v); pointer(v); by_memory(v); in_registers(v); passed_on(v); truth(v);
    switch (n) {
    case 0: if (none(v)) exit(1); break; //~ uninitialized
    case 1: if (some(v)) exit(1); break; //~ uninitialized
    case 2: if (choose(v)) exit(1); break; //~ uninitialized
    case 3: if (real(v) > 0) exit(1); break; //~ uninitialized
    case 4: if (longer(v) > 0) exit(1); break; //~ uninitialized
    case 5: if (*pointer(v)) exit(1); break; //~ uninitialized
    case 6: if (by_memory(v).c) exit(1); break; //~ uninitialized
    case 7: if (in_registers(v).b == 1) exit(1); break; //~ uninitialized
    case 8: if (passed_on(v) == 7) exit(1); break; //~ uninitialized
    case 9: if (truth(v)) exit(1); break; //~ uninitialized
    case 10: { int kept = some(v); break; }
    case 11: if (some(v) & 0) exit(1); break;
    case 12: if (v > 3 && some(v)) exit(1); break;
    case 13: { int kept = some(v); if (kept == 1) exit(1); break; } //~ uninitialized
    }
    return 0;
}
