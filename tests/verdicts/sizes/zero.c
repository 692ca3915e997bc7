/* Nothing is copied: no pointer is looked at. */
#include <string.h>
int main(void) {
    char b[1];
    char *volatile end = b + 1;
    volatile int n = 0;
    memcpy(end, end, n);
    memset(end, 0, n);
    memmove(end, b, n);
    return 0;
}
