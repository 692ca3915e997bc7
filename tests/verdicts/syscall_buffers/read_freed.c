// run: --sym-stdin 4
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char *b = malloc(16);
    if (!b) return 1;
    free(b);
    return read(0, b, 4) < 0; //~ use_after_free
}
