// halted: posix_spawn
#include <assert.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

int main(void) {
    pid_t pid = 0;
    char *argv[] = {"true", 0};
    posix_spawn(&pid, "/bin/true", 0, 0, argv, environ);
    assert(waitpid(pid, 0, 0) == pid);
    return 0;
}
