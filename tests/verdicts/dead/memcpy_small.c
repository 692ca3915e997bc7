/* Four bytes, which passes make a load and a store of. */
#include <string.h>
static char s[2];
static void h(char *p) {
    char b[4];
    memcpy(b, p, 4); //~ out_of_bounds
}
int main(void) {
    h(s);
    return 0;
}
