/* A jump back into a block that was left: its variables are there. */
#include <setjmp.h>
static jmp_buf env;
static int *kept;
static void keep(int *p) { kept = p; }
int main(void) {
    volatile int round = 0;
    {
        int x = 7;
        keep(&x);
        if (setjmp(env) && *kept != 7) return 1;
    }
    if (round++ == 0) longjmp(env, 1);
    return 0;
}
