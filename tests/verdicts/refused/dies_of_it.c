// halted: fork
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void die(const char *what) {
    perror(what);
    abort();
}

int main(void) {
    if (fork() < 0)
        die("fork");
    return 0;
}
