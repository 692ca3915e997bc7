// halted: system
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    system("echo 5 > value");
    FILE *f = fopen("value", "r");
    return fgetc(f) != '5';
}
