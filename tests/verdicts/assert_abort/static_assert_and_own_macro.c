// The program's own macro: its words, and abort at its line.
// message: abort was called
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(c) do { if (!(c)) { fprintf(stderr, "check failed: %s\n", #c); abort(); } } while (0)
_Static_assert(sizeof(int) == 4, "int");

int main(void) {
    int x = klee_int("x");
    CHECK(x != 7); //~ abort
    return 0;
}
