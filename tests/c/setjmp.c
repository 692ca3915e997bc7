/* Non-local jumps: out of recursion, repeatedly, as exceptions. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf top, handlers[4];
static int depth;

static void dive(int n) {
    volatile char pad[32];
    pad[0] = (char)n;
    if (n == 0) longjmp(top, 7);
    dive(n - 1);
    printf("never %d\n", pad[0]);
}

static void thrower(int code) {
    if (depth == 0) { printf("uncaught %d\n", code); return; }
    longjmp(handlers[--depth], code);
}

static int attempt(int code) {
    volatile int stage = 1;
    int r = setjmp(handlers[depth]);
    if (r == 0) {
        depth++;
        stage = 2;
        if (code & 1) thrower(code);
        depth--;
        stage = 3;
        return 0;
    }
    printf("caught %d at stage %d\n", r, stage);
    if (code & 2) thrower(code + 100);
    return r;
}

/* One value a call: the order of evaluation of arguments is not defined. */
#define N(e) printf("%lld ", (long long)(e))
int main(void) {
    volatile int rounds = 0;
    int r = setjmp(top);
    printf("back with %d\n", r);
    if (rounds++ < 3) dive(rounds * 5);
    for (int i = 0; i < 4; i++) printf("%d\n", attempt(i));
    if (setjmp(handlers[depth]) == 0) {
        depth++;
        N(attempt(3)); puts("");
    } else {
        puts("outer handler");
    }
    jmp_buf b;
    if (setjmp(b) == 0) longjmp(b, 0);
    else puts("zero becomes one");
    return rounds;
}
