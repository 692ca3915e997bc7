// halted: unsupported
#include <klee/klee.h>

int main(void) {
    klee_alias_function("foo", "bar");
    return 0;
}
