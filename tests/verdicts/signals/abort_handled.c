// A failed assertion is one, whatever a handler does; what the program decides itself, and handles, is no error.
#include <assert.h>
#include <klee/klee.h>
#include <signal.h>
#include <stdlib.h>
static void h(int s) { exit(7); }
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    signal(SIGABRT, h);
    assert(x != 3); //~ assert
    if (x == 4) abort();
    if (x == 5) raise(SIGABRT);
    return 0;
}
