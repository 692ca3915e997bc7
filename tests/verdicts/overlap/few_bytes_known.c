/* Few bytes at known places of one array. */
#include <string.h>
int main(void) {
    char b[8] = "abcdefg";
    memcpy(b + 3, b, 4); //~ overlap
    return b[0] == 'x';
}
