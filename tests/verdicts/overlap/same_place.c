/* A copy of something to itself: compilers make them of assignments. */
#include <string.h>
struct S { int a[8]; };
int main(void) {
    struct S s = {{1}}, *volatile p = &s, *q = p;
    *q = *p;
    memcpy(p, q, sizeof s);
    return s.a[0] != 1;
}
