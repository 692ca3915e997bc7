// halted: fork
#include <unistd.h>

int main(void) {
    int *none = 0;
    switch (fork()) {
    case -1:
        return *none; //~ null
    case 0:
        _exit(0);
    default:
        return 0;
    }
}
