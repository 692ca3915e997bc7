// run: --max-depth 1
// halted: forks limited
/* What a limit cuts off is named. */
#include "klee/klee.h"
int main(void) {
    unsigned char a[3];
    klee_make_symbolic(a, sizeof a, "a");
    int n = 0;
    for (int i = 0; i < 3; i++)
        if (a[i] > 100) n++;
    return n;
}
