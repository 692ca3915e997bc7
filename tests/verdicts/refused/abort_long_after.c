// Handled in a function that has returned: what follows counts, abort as well.
// halted: fork
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int start(void) {
    if (fork() < 0) {
        perror("fork");
        return 0;
    }
    return 1;
}

static void later(int x) {
    if (x == 4)
        abort(); //~ abort
}

int main(void) {
    int x = klee_int("x");
    if (!start())
        later(x);
    return 0;
}
