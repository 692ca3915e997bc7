// A file may be missing anywhere: not to look is the program's fault.
#include <stdio.h>

int main(void) {
    FILE *f = fopen("/etc/no-such-file", "r");
    return fgetc(f); //~ null
}
