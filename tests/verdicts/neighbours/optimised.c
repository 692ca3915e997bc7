// run: --cc-flag -O2
#include <stdlib.h>

char *volatile keep;

int main(int argc, char **argv) {
    char *a = malloc(64), *b = malloc(64);
    if (!a || !b) return 1;
    keep = b;
    keep = a;
    keep[99 + argc] = 1; //~ out_of_bounds
    keep = b;
    return 0;
}
