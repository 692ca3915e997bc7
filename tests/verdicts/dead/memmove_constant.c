/* As memcpy_from_short, by memmove. */
#include <string.h>
static char s[8];
static void h(char *p) {
    char b[16];
    memmove(b, p, 16); //~ out_of_bounds
}
int main(void) {
    h(s);
    return 0;
}
