/* The source is too short; the copy is not read. */
#include <string.h>
static char s[8];
static void h(char *p) {
    char b[16];
    memcpy(b, p, 16); //~ out_of_bounds
}
int main(void) {
    h(s);
    return 0;
}
