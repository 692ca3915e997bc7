// A recursive descent parser and interpreter of expressions: many paths of different lengths.
#include <klee/klee.h>
static unsigned char text[8];
static unsigned at;
static int expression(void);
static int atom(void) {
    int c = at < sizeof text ? text[at++] : 0;
    if (c == '(') {
        int v = expression();
        if (at >= sizeof text || text[at++] != ')') klee_silent_exit(2);
        return v;
    }
    if (c >= '0' && c <= '9') return c - '0';
    if (c == '-') return -atom();
    klee_silent_exit(1);
    return 0;
}
static int expression(void) {
    int v = atom();
    while (at < sizeof text && (text[at] == '+' || text[at] == '*'))
        if (text[at++] == '+') v += atom();
        else v *= atom();
    return v;
}
int main(void) {
    klee_make_symbolic(text, sizeof text, "text");
    int v = expression();
    return v == 42 ? 1 : v > 9 ? 2 : 0;
}
