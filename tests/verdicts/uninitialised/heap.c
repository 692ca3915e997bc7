// run: --check memory,uninit
/* malloc gives bytes that nobody has written. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    char *p = malloc(4);
    if (!p) return 0;
    p[0] = 1;
    int r = p[0] + p[1]; //~ uninitialized
    free(p);
    return r;
}
