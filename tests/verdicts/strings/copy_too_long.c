/* strcpy of an argument of unknown length. */
// run: --sym-arg 8
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(int argc, char **argv) {
    char copy[6];
    if (argc < 2) return 0;
    strcpy(copy, argv[1]); //~ out_of_bounds
    return copy[0];
}
