/* Without the check nothing is said, and the bytes are copied as memmove does. */
// run: --check memory
#include <string.h>
int main(void) {
    char b[32] = "abcdef";
    char *volatile p = b;
    memcpy(p + 1, p, 16);
    return b[3] != 'c';
}
