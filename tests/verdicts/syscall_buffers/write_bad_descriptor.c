// The kernel looks at the descriptor first: nothing is read.
#include <errno.h>
#include <unistd.h>

int main(void) {
    char b[4];
    return write(77, b, 400) != -1 || errno != EBADF;
}
