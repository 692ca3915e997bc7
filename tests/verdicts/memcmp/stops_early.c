/* The ranges differ before the shorter one ends. */
#include <string.h>
int main(void) {
    char a[4] = "abc", b[8] = "abX";
    return memcmp(a, b, 8) == 0;
}
