// A structure that is taken from `...`, whose member nobody wrote.
// run: --check memory,uninit
#include <stdarg.h>
struct s { _Bool flag : 1; double value; };
__attribute__((noinline)) static struct s pass(int count, ...) {
    va_list list;
    va_start(list, count);
    struct s s = va_arg(list, struct s);
    va_end(list);
    return s;
}
int main(void) {
    struct s v, w;
    v.value = 3;
    w = pass(1, v);
    w = pass(2, w);
    static const int table[2] = {1, 0};
    return table[w.flag]; //~ uninitialized
}
