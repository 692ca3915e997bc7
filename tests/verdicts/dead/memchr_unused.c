/* A search whose result nobody uses. */
#include <string.h>
static void h(const char *a) {
    memchr(a, 7, 8); //~ out_of_bounds
}
int main(void) {
    char a[4] = "";
    h(a);
    return 0;
}
