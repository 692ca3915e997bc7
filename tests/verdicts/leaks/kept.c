// run: --check leak
#include <stdlib.h>

char *keep;

int main(void) {
    keep = malloc(8);
    return 0;
}
