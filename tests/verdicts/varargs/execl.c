// A list of arguments without a null pointer at its end.
// halted: execl
// run: --cc-flag=-w
#include <klee/klee.h>
#include <unistd.h>

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    if (x == 1) return execl("/bin/true", "true") == -1; //~ out_of_bounds
    if (x == 2) return execl("/bin/true", "true", (char *)0) == -1 ? 1 : 0;
    return 0;
}
