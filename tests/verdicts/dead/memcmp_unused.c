/* A comparison whose result nobody uses. */
#include <string.h>
static void h(const char *a, const char *b) {
    memcmp(a, b, 8); //~ out_of_bounds
}
int main(void) {
    char a[4] = "", b[8] = "";
    h(a, b);
    return 0;
}
