#include <stdio.h>
#include <string.h>

/* A file: "CH", a length, a checksum of the bytes that follow, the bytes. */
int main(int argc, char **argv) {
    unsigned char data[16], sum = 0, name[8];
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : stdin;
    size_t n = file ? fread(data, 1, sizeof data, file) : 0;
    if (n < 4 || memcmp(data, "CH", 2) != 0 || data[2] != n - 4) return 2;
    for (size_t i = 4; i < n; i++) sum = sum * 31 + data[i];
    if (sum != data[3]) return 3;
    memcpy(name, data + 4, data[2]);
    printf("%.*s\n", data[2], name);
    return 0;
}
