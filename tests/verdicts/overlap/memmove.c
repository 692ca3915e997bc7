/* memmove may do it. */
#include <assert.h>
#include <string.h>
int main(void) {
    char b[32] = "abcdef";
    memmove(b + 1, b, 16);
    memmove(b, b + 1, 4);
    assert(b[0] == 'a' && b[1] == 'b');
    return 0;
}
