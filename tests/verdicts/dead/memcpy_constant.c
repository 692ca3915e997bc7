/* A copy of a known, too large size into an array that nobody reads. */
#include <string.h>
static char s[64];
static void h(void) {
    char b[16];
    memcpy(b, s, 20); //~ out_of_bounds
}
int main(void) {
    h();
    return 0;
}
