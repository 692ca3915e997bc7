// run: --check uninit
#include <sys/uio.h>

int main(void) {
    char a[4] = "abc";
    struct iovec v[2];
    v[0].iov_base = a;
    v[0].iov_len = 4;
    return writev(1, v, 2) != 8; //~ uninitialized
}
