#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *read_old(const char *line);

int main(int argc, char **argv) {
    char line[80] = "", word[4];
    int n = 0;
    if (!fgets(line, sizeof line, stdin)) return 2;
    if (argc > 1 && strcmp(argv[1], "-n") == 0) {
        while (isdigit(line[n])) {
            word[n] = line[n];
            n++;
            word[n] = 0;
        }
        printf("%s\n", word);
    } else {
        puts(read_old(line));
    }
    return 0;
}
