/* libc's fcntl reads an argument always, and ignores it. */
#include <fcntl.h>
#include <unistd.h>
int main(void) {
    return fcntl(0, F_GETFD) == 100 || syscall(39) == 0;
}
