// run: --sym-arg 8
/* strncpy with its NUL. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(int argc, char **argv) {
    char copy[6];
    if (argc < 2) return 0;
    strncpy(copy, argv[1], 5);
    copy[5] = 0;
    return strlen(copy);
}
