// run: --sym-stdin 8
#include <klee/klee.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    int n = klee_range(0, 20, "n");
    char *p = malloc(n);
    if (!p || n < 8) return 1;
    return read(0, p, 8) != 8;
}
