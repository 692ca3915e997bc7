/* Equal up to the end of the shorter one. */
#include <string.h>
int main(void) {
    char a[4] = "abc", b[8] = "abc";
    return memcmp(a, b, 8) == 0; //~ out_of_bounds
}
