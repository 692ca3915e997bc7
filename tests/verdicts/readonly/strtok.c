/* libc writes to the literal. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    char *s = "a,b";
    return strtok(s, ",") == 0; //~ readonly
}
