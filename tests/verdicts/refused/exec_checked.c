// halted: execvp
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char *argv[] = {"ls", 0};
    if (execvp("ls", argv) == -1) {
        perror("ls");
        return 127;
    }
    return 0;
}
