#include <klee/klee.h>

int main(void) {
    if (klee_int("x") == 3) klee_silent_exit(0);
    return 0;
}
