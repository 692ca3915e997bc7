#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    char *b = malloc(100);
    if (!b) return 1;
    free(b);
    return syscall(SYS_getcwd, b, 100) < 0; //~ use_after_free
}
