// To print a result is not to look at it.
// halted: fork
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int pid = fork();
    printf("%d\n", pid);
    assert(!"whatever");
    return 0;
}
