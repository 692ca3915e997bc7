/* A variable that is not set. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int main(void) {
    const char *home = getenv("NOT_SET");
    return home[0]; //~ null
}
