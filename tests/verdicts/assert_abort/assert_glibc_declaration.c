// As a source that was preprocessed against glibc calls it.
// message: assertion failed: n < 3
#include <klee/klee.h>

extern void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
    __attribute__((noreturn));

int main(void) {
    int n = klee_range(0, 4, "n");
    ((n < 3) ? (void)0 : __assert_fail("n < 3", "other.c", 77, "elsewhere")); //~ assert
    return 0;
}
