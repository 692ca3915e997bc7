// A structure that is taken from `...`, of whose first register one bit was written.
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
    v.flag = 1;
    v.value = 3;
    w = pass(1, v);
    w = pass(2, w);
    return w.value > 2 && w.flag ? 0 : 1;
}
