// run: --memory 400
// halted: 1 paths ended for memory
#include <stdlib.h>
#include <string.h>

static char from[1 << 20];

int main(int argc, char **argv) {
    from[7] = argc;
    for (;;) {
        char *p = malloc(1 << 20);
        if (!p)
            return 1;
        memcpy(p + 1, from, (1 << 20) - 1);
    }
}
