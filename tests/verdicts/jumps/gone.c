// Jumps to nowhere: into a function that has returned, to a buffer that was never filled, to one that was written over.
#include <klee/klee.h>
#include <setjmp.h>
#include <string.h>
static jmp_buf env, never;
__attribute__((noinline)) static void fill(int really) { if (really) setjmp(env); }
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    switch (x) {
    case 1: fill(1); longjmp(env, 1); //~ use_after_free
    case 2: longjmp(never, 1); //~ uninitialized
    case 3: if (setjmp(env)) return 1; memset(env, 0, sizeof env); longjmp(env, 1); //~ uninitialized
    case 4: fill(1); fill(0); longjmp(env, 1); //~ use_after_free
    case 5: if (!setjmp(env)) longjmp(env, 0); return 0;
    }
    return 0;
}
