#include <klee/klee.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    int x = klee_int("x");
    if (x == 1)
        _exit(134);
    if (x == 2)
        exit(EXIT_FAILURE);
    return 3;
}
