#include <unistd.h>

int main(void) {
    char path[4] = {'a', 'b', 'c', 'd'};
    return access(path, F_OK) == 0; //~ out_of_bounds
}
