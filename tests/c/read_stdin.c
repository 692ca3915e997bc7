/* Counts lines, words and bytes of its input and echoes it in capitals. */
#include <ctype.h>
#include <stdio.h>

int main(int argc, char **argv) {
    long lines = 0, words = 0, bytes = 0;
    int c, in = 0;
    for (int i = 1; i < argc; i++) printf("[%s]", argv[i]);
    while ((c = getchar()) != EOF) {
        bytes++;
        lines += c == '\n';
        if (isspace(c)) in = 0; else if (!in) { in = 1; words++; }
        putchar(toupper(c));
    }
    printf("%ld %ld %ld\n", lines, words, bytes);
    return (int)(bytes % 100);
}
