/* The length of a string without end, not used. */
#include <string.h>
static void h(const char *s) {
    strlen(s); //~ out_of_bounds
}
int main(void) {
    char s[3] = {1, 2, 3};
    h(s);
    return 0;
}
