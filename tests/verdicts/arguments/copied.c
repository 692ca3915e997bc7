// run: --sym-arg 8
#include <string.h>

int main(int argc, char **argv) {
    char copy[8];
    if (argc < 2) return 0;
    strcpy(copy, argv[1]); //~ out_of_bounds
    return copy[0] == 'q';
}
