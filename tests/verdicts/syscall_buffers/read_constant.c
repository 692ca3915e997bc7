// run: --sym-stdin 4
#include <unistd.h>

static const char text[8] = "abcdefg";

int main(void) {
    return read(0, (char *)text, 4) < 0; //~ readonly
}
