// run: --sym-args 0 2 3
#include <string.h>

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (strlen(argv[i]) > 3) return 1;
    return argc > 1 && !strcmp(argv[1], "-v");
}
