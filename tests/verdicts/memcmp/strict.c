/* By the letter of the standard both ranges are read whole. */
// run: --check memory,memcmp
#include <string.h>
int main(void) {
    char a[4] = "abc", b[8] = "abX";
    return memcmp(a, b, 8) == 0; //~ out_of_bounds
}
