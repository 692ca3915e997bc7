// run: --max-output 1
// What a path writes again and again into the same place, or removes, is not too much.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    static char b[300000];
    memset(b, 'x', sizeof b);
    for (int i = 0; i < 30; i++) {
        int f = open("out", O_CREAT | O_TRUNC | O_WRONLY, 0600);
        if (write(f, b, sizeof b) != sizeof b)
            *(volatile int *)0 = 0;
        close(f);
        if (i % 3 == 0)
            unlink("out");
    }
    return 0;
}
