/* The distance decides. */
#include "klee/klee.h"
#include <string.h>
int main(void) {
    char b[16] = "";
    int i = klee_range(0, 9, "i");
    memcpy(b + i, b, 4); //~ overlap
    return 0;
}
