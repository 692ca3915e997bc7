#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int people = argc > 1 ? atoi(argv[1]) : 1;
    printf("%d each\n", 1200 / (people - 42));
}
