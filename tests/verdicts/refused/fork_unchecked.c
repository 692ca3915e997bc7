// halted: fork
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int status = 77;
    if (fork() == 0)
        _exit(0);
    wait(&status);
    assert(status == 0);
    return 0;
}
