// run: --sym-arg 8
#include <string.h>

int main(int argc, char **argv) {
    return argc > 1 && !strncmp(argv[1], "--abc", 5) && argv[1][5] == '=';
}
