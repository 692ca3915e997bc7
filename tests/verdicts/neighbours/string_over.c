#include <stdlib.h>
#include <string.h>

int main(void) {
    char *a = malloc(8), *b = malloc(64);
    if (!a || !b) return 1;
    memset(a, 'x', 8);
    memset(b, 'y', 63);
    b[63] = 0;
    return strlen(a) != 8; //~ out_of_bounds
}
