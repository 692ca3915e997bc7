// halted: paths blocked
#include <klee/klee.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    char c;
    if (pipe(ends))
        return 1;
    if (klee_int("x") == 3)
        return (int)read(ends[0], &c, 1);
    return 0;
}
