// run: --check memory,uninit
/* Copies of structures with padding are no reads of it. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
struct padded { char a; int b; };
int main(void) {
    struct padded x, y;
    struct padded *volatile p = &x;
    p->a = 1;
    p->b = 2;
    y = *p;
    memcpy(&x, &y, sizeof y);
    return p->a + p->b - 3;
}
