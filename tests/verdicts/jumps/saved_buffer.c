// A jump buffer is a value: it can be copied, saved and restored.
#include <assert.h>
#include <klee/klee.h>
#include <setjmp.h>
#include <string.h>
static jmp_buf env;
struct handler { int level; jmp_buf at; };
__attribute__((noinline)) static int nested(unsigned char x) {
    jmp_buf old;
    memcpy(&old, &env, sizeof old);
    if (setjmp(env)) return 10;
    memcpy(&env, &old, sizeof old);
    if (x == 2) longjmp(env, 2);
    return 20;
}
static int run(unsigned char x) {
    if (setjmp(env)) return 30;
    return nested(x);
}
static int copied(unsigned char x) {
    struct handler a = {1}, b = {2};
    switch (setjmp(a.at)) {
    case 0: break;
    case 1: return 1;
    default: return 3;
    }
    if (setjmp(b.at)) return 2;
    if (x == 1) b = a;
    longjmp(b.at, x == 1 ? 5 : 1);
}
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    int r = run(x), c = copied(x);
    assert(r == (x == 2 ? 30 : 20));
    assert(c == (x == 1 ? 3 : 2));
    assert(x != 2); //~ assert
    return 0;
}
