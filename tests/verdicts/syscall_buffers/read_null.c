// run: --sym-stdin 4
#include <errno.h>
#include <unistd.h>

int main(void) {
    if (read(0, 0, 4) != -1 || errno != EFAULT) return 1;
    if (read(0, (void *)0x123456789000, 4) != -1 || errno != EFAULT) return 2;
    if (read(0, (void *)0xdead000000000000, 4) != -1 || errno != EFAULT) return 3;
    return 0;
}
