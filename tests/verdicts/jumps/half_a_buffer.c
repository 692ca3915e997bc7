// A machine keeps eight registers in the buffer: one that is written over leads nowhere.
#include <klee/klee.h>
#include <setjmp.h>
#include <string.h>

static jmp_buf env;

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    if (setjmp(env)) return 1;
    if (x > 200) ((unsigned char *)&env)[56] ^= 4;
    if (x > 100) longjmp(env, 1); //~ uninitialized
    return 0;
}
