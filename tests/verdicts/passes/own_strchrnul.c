// A function of gnulib's name that reads bytes is not replaced.
#include <assert.h>
#include <klee/klee.h>
char *strchrnul(const char *s, int c) {
    while (*s && *s != (char)c && *s != '!') s++;
    return (char *)s;
}
int main(void) {
    char s[3];
    klee_make_symbolic(s, 3, "s");
    s[2] = 0;
    char *p = strchrnul(s, 'x');
    assert(!*p || *p == 'x'); //~ assert
    return 0;
}
