// run: --check memory,uninit
/* calloc gives zeros. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    char *p = calloc(4, 1);
    if (!p) return 0;
    int r = p[0] + p[1];
    free(p);
    return r;
}
