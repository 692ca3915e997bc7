/* memcpy called through a pointer. */
#include <string.h>
int main(void) {
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    char b[32] = "";
    copy(b + 1, b, 8); //~ overlap
    return 0;
}
