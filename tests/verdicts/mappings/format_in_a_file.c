// A format in a read-only mapping: other paths have other bytes at its address.
#include <fcntl.h>
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *mapped(const char *text) {
    int fd = open("format", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, text, strlen(text) + 1) < 0)
        return "";
    return mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
}

int main(void) {
    char x;
    klee_make_symbolic(&x, sizeof x, "x");
    if (x == 1)
        printf(mapped("%d"), 5);
    else if (x == 2)
        printf(mapped("%s"), 5); //~ misuse
    else if (x == 3)
        printf(mapped("%x"), 5);
    return 0;
}
