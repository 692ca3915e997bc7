// halted: execlp
#include <assert.h>
#include <unistd.h>

int main(void) {
    execlp("ls", "ls", "-l", (char *)0);
    assert(!"not reached");
    return 0;
}
