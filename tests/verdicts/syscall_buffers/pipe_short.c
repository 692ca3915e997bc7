#include <stdlib.h>
#include <unistd.h>

int main(void) {
    int *ends = malloc(sizeof(int));
    if (!ends) return 1;
    return pipe(ends); //~ out_of_bounds
}
