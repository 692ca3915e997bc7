// run: --memory 400
// halted: 1 paths ended for memory
#include <klee/klee.h>
#include <stdlib.h>

// The other path is explored to its error.
int main(void) {
    char c;
    klee_make_symbolic(&c, 1, "c");
    if (c == 'x') {
        char *p = malloc(4);
        p[4] = c; //~ out_of_bounds
        return 0;
    }
    for (;;) {
        char *p = malloc(1000);
        if (!p)
            return 1;
        p[0] = p[999] = c;
    }
}
