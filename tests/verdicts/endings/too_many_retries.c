// run: --max-retries 0
// halted: ways through one instruction
#include <klee/klee.h>
#include <unistd.h>

int main(void) {
    char name[16];
    klee_make_symbolic(name, sizeof name, "name");
    name[15] = 0;
    return access(name, F_OK) == 0;
}
