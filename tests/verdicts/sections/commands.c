/* The linker gathers the objects of a section; the program walks over them. */
#include "klee/klee.h"
struct cmd {
    const char *name;
    int (*run)(int);
};
#define CMD(n)                                                                                      \
    static int n(int);                                                                              \
    static struct cmd cmd_##n __attribute__((used, section("cmds"))) = {#n, n};                     \
    static int n(int x)
CMD(one) { return x; }
CMD(two) { return 10 / (x - 7); } //~ div_zero
CMD(three) { return cmd_one.name[x & 3]; }
extern struct cmd __start_cmds[], __stop_cmds[];
extern int __start_none[] __attribute__((weak));
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    if (__start_none || __stop_cmds - __start_cmds != 3 || &cmd_two != __start_cmds + 1) return 1;
    int sum = 0;
    for (struct cmd *c = __start_cmds; c < __stop_cmds; c++) sum += c->run(x);
    if (x == 3) __stop_cmds->name = 0; //~ out_of_bounds
    return sum == 77;
}
