// halted: system
#include <stdlib.h>

int main(void) {
    if (system("true") != 0)
        return 1;
    return 0;
}
