#include <stdlib.h>

int main(void) {
    char *a = malloc(40), *b = malloc(40), *c = malloc(40);
    if (!a || !b || !c) return 1;
    free(b);
    a[100] = 1; //~ out_of_bounds
    return c[0];
}
