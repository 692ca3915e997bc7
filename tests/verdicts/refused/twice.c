// Each is looked at on its own.
// halted: fork
#include <assert.h>
#include <unistd.h>

int main(void) {
    if (fork() < 0) {
        fork();
        assert(!"in doubt again");
    }
    return 0;
}
