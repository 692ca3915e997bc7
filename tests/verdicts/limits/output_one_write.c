// run: --max-output 1
// halted: too much output
#include <string.h>
#include <unistd.h>

int main(void) {
    static char b[2 << 20];
    memset(b, 'x', sizeof b);
    return write(1, b, sizeof b) < 0;
}
