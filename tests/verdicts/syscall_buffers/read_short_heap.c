// run: --sym-stdin 16
// message: heap object of 12 bytes
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char *b = malloc(12);
    if (!b) return 1;
    read(0, b + 4, 16); //~ out_of_bounds
    free(b);
    return 0;
}
