// run: --check leak
#include <klee/klee.h>
#include <stdlib.h>

char *inside;

int main(void) {
    unsigned char i;
    klee_make_symbolic(&i, sizeof i, "i");
    inside = (char *)malloc(256) + i;
    return 0;
}
