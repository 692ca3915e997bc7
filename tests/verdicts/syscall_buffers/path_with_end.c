#include <unistd.h>

int main(void) {
    char path[4] = {'a', 'b', 'c', 0};
    return access(path, F_OK) == 0;
}
