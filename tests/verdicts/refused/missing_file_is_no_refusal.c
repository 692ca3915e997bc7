#include <stdio.h>

int main(void) {
    FILE *f = fopen("/etc/no-such-file", "r");
    return f != 0;
}
