// run: --mode concolic
// halted: fork
#include <klee/klee.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    int x = klee_int("x");
    if (x == 1) {
        int *none = 0;
        if (fork() == -1)
            return *none; //~ null
    }
    if (x == 2) {
        fork();
        abort();
    }
    return 0;
}
