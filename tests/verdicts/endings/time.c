// run: --time 4
// halted: time limit
// halted: paths unfinished
#include <klee/klee.h>

int main(void) {
    volatile unsigned n = 0;
    if (klee_int("x") == 3)
        for (;;) n++;
    return 0;
}
