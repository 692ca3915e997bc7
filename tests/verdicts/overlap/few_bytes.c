/* Few bytes, which are copied by a load and a store. */
#include <string.h>
int main(void) {
    char b[8] = "abcdefg";
    char *volatile p = b;
    memcpy(p + 1, p, 4); //~ overlap
    return 0;
}
