// halted: posix_spawn
#include <spawn.h>

extern char **environ;

int main(void) {
    pid_t pid;
    char *argv[] = {"true", 0};
    return posix_spawn(&pid, "/bin/true", 0, 0, argv, environ) == 0 ? 0 : 4;
}
