// Neither test alone tells a failure from success; both do.
// halted: fork
#include <unistd.h>

int main(void) {
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    if (pid > 0)
        return 0;
    int *none = 0;
    return *none; //~ null
}
