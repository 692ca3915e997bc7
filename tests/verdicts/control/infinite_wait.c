// halted: blocked
/* Nobody will ever write to the pipe. */
#include <unistd.h>
int main(void) {
    int fd[2];
    char c;
    if (pipe(fd)) return 1;
    return read(fd[0], &c, 1) != 1;
}
