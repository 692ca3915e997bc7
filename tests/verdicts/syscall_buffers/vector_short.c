#include <sys/uio.h>

int main(void) {
    char a[4] = "abc", b[4] = "def";
    struct iovec v[2] = {{a, 4}, {b, 6}};
    return writev(1, v, 2) != 10; //~ out_of_bounds
}
