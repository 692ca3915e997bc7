// message: 3000 bytes past the end of the heap object of 64 bytes
#include <stdlib.h>

int main(void) {
    char *a = malloc(64), *others[100];
    for (int i = 0; i < 100; i++) others[i] = malloc(64);
    if (!a) return 1;
    a[3064] = 1; //~ out_of_bounds
    return others[99] == 0;
}
