/* A memset over the end of an array that nobody reads. */
#include <string.h>
static void h(void) {
    char b[16];
    memset(b, 0, 17); //~ out_of_bounds
}
int main(void) {
    h();
    return 0;
}
