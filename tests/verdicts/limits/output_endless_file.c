// run: --max-output 2
// halted: too much output
#include <stdio.h>

int main(void) {
    FILE *f = fopen("out", "w");
    char b[4096] = {1};
    for (;;)
        fwrite(b, 1, sizeof b, f);
}
