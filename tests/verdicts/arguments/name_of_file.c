// run: --sym-arg 3
#include <fcntl.h>

int main(int argc, char **argv) {
    return argc > 1 && open(argv[1], O_RDONLY) >= 0;
}
