/* No room for the NUL. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    char *text = malloc(6);
    if (!text) return 0;
    strcpy(text, "abc");
    strcat(text, "def"); //~ out_of_bounds
    free(text);
    return 0;
}
