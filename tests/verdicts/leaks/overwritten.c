// run: --check leak
#include <stdlib.h>

int main(void) {
    char *volatile p = malloc(8); //~ leak
    p = 0;
    exit(0);
}
