// Libc's frame is folded: the place is the caller's.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    char *s = klee_int("x") == 4 ? 0 : "text";
    return atoi(s) > 9; //~ null
}
