// run: --sym-stdin 8
#include <unistd.h>

int main(void) {
    char b[8];
    return read(0, b, 8) == 8 ? b[0] > 0 : 1;
}
