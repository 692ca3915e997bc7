/* An allocation that only a copy uses. */
#include <stdlib.h>
#include <string.h>
static void h(const char *s) {
    char *p = malloc(8);
    memcpy(p, s, 9); //~ out_of_bounds
    free(p);
}
int main(void) {
    char s[16] = "";
    h(s);
    return 0;
}
