#include <unistd.h>

int main(int argc, char **argv) {
    char b[10] = "0123456789";
    return write(1, b, 10 + argc) != 10 + argc; //~ out_of_bounds
}
