#include <sys/uio.h>

int main(void) {
    char a[4] = "abc", b[4] = "def";
    struct iovec v[2] = {{a, 4}, {b, 4}};
    return writev(1, v, 3) != 8; //~ out_of_bounds
}
