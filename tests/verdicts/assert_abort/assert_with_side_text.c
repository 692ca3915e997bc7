// message: assertion failed: strcmp(s, "key") != 0
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

int main(void) {
    char s[4];
    klee_make_symbolic(s, sizeof s, "s");
    s[3] = 0;
    assert(strcmp(s, "key") != 0); //~ assert
    return 0;
}
