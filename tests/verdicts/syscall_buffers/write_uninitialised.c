// run: --check uninit
#include <unistd.h>

int main(void) {
    char b[10];
    b[0] = 'a';
    return write(1, b, 2) != 2; //~ uninitialized
}
