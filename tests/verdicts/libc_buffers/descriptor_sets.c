// FD_SET as _FORTIFY_SOURCE has it: a descriptor that is none, or too large.
#include <klee/klee.h>
long __fdelt_chk(long);

int main(void) {
    int fd;
    klee_make_symbolic(&fd, sizeof fd, "fd");
    if (fd >= 0 && fd < 1024) return __fdelt_chk(fd) != fd / 64;
    return __fdelt_chk(fd); //~ assert
}
