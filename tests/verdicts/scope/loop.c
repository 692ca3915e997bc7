/* The variable of one round, used in the next one. */
#include "klee/klee.h"
int main(void) {
    int *before = 0, sum = 0;
    for (int i = 0; i < 3; i++) {
        if (before) sum += *before; //~ use_after_free
        int x = i;
        before = &x;
    }
    return sum > 100;
}
