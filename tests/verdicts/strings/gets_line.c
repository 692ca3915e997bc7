// run: --sym-stdin 6
/* The last byte of an empty line is cut off. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    char line[8];
    if (!fgets(line, sizeof line, stdin)) return 0;
    char *copy = strdup(line);
    if (!copy) return 0;
    copy[strlen(copy) - 1] = 0; //~ out_of_bounds
    free(copy);
    return 0;
}
