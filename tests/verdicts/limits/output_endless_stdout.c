// run: --max-output 2
// halted: too much output
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
    char c;
    klee_make_symbolic(&c, 1, "c");
    if (c == 'e')
        *(volatile int *)0 = 0; //~ null
    if (c == 'x')
        for (;;)
            puts("hello hello hello");
    return 0;
}
