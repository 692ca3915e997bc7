/* An error is reported at its place after longjmp. */
#include "klee/klee.h"
#include <setjmp.h>
static jmp_buf back;
static void leave(int n) { if (n > 5) longjmp(back, n); }
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    int how = setjmp(back);
    if (how == 0) {
        leave(n);
        return 0;
    }
    return 1 / (how - 9); //~ div_zero
}
