/* The cases of a switch jump past a declaration. */
#include "klee/klee.h"
static int *kept;
static void keep(int *p) { kept = p; }
int main(void) {
    switch (klee_range(0, 3, "c")) {
        int x;
    case 0:
        x = 1;
        keep(&x);
        break;
    case 1:
        x = 2;
        keep(&x);
        return *kept != 2;
    }
    return 0;
}
