/* printf with what its format says. */
#include <stdio.h>
int main(void) {
    char b[64];
    snprintf(b, sizeof b, "%d %s %.2f %*d %%", 1, "x", 2.5, 3, 4);
    return b[0] != '1';
}
