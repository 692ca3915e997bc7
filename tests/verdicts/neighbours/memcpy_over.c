#include <string.h>

char first[64], second[4096];

int main(int argc, char **argv) {
    volatile unsigned long n = 99 + argc;
    memcpy(first, second, n); //~ out_of_bounds
    return first[0];
}
