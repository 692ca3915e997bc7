#include <assert.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int commas = 0;
    for (const char *s = argc > 1 ? argv[1] : ""; *s; s++) commas += *s == ',';
    assert(commas != 3);
    printf("%d\n", commas);
}
