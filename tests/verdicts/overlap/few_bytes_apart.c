/* Few bytes at places that are far enough apart. */
#include <string.h>
int main(void) {
    char b[8] = "abcdefg";
    char *volatile p = b;
    memcpy(p + 4, p, 4);
    memcpy(b, b + 2, 2);
    return 0;
}
