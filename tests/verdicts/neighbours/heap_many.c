// Also behind the last one of very many objects.
#include <stdlib.h>

int main(void) {
    char *a = 0, *b = 0;
    for (int i = 0; i < 10000; i++) {
        a = b;
        b = malloc(24);
        if (!b) return 1;
        b[23] = 1;
    }
    a[47] = 1; //~ out_of_bounds
    return b[0];
}
