// run: --check memory,uninit
/* The padding of a structure is passed and returned in registers, and through the dots. */
#include <stdarg.h>
struct s { char a; int b; };
__attribute__((noinline)) int sum(struct s v) { return v.a + v.b; }
__attribute__((noinline)) struct s make(int b) {
    struct s v;
    v.a = 1;
    v.b = b;
    return v;
}
__attribute__((noinline)) int second(int n, ...) {
    va_list list;
    va_start(list, n);
    struct s v = va_arg(list, struct s);
    va_end(list);
    return v.b;
}
int main(void) {
    struct s v = make(2);
    return sum(v) + second(1, v) - 5;
}
