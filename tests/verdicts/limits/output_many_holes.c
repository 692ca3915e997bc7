// run: --max-output 1
// halted: too much output
#include <fcntl.h>
#include <unistd.h>

// A byte here and there takes a whole block each.
int main(void) {
    int f = open("out", O_CREAT | O_WRONLY, 0600);
    for (int i = 0; i < 1000; i++)
        pwrite(f, "x", 1, i * 1000000ll);
    return 0;
}
