/* Ranges that overlap by one byte. */
#include <string.h>
int main(void) {
    char b[32] = "";
    char *volatile p = b;
    memcpy(p + 15, p, 16); //~ overlap
    return 0;
}
