/* A copy out of an array after its block. */
#include <string.h>
static char *name(char *p) { return p; }
int main(void) {
    char *p, out[8];
    {
        char b[8] = "abc";
        p = name(b);
    }
    memcpy(out, p, 8); //~ use_after_free
    return 0;
}
