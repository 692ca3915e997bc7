// run: --memory 400
// What is large and of one content costs next to nothing.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

static char zeros[1500u << 20];

int main(void) {
    char c;
    klee_make_symbolic(&c, 1, "c");
    zeros[12345678] = c;
    char *p = malloc(1 << 30);
    if (!p)
        return 3;
    memset(p, 7, 1 << 30);
    char *q = malloc(200 << 20);
    memset(q, c, 200 << 20);
    if (p[77] != 7 || q[100 << 20] != c)
        *(volatile int *)0 = 0;
    q[3]++;
    return q[3] == q[4] + 1 || c == 127 ? 0 : 1;
}
