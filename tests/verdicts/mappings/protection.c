// What mprotect and mmap say that may not be done.
// run: --sym-files 1 8 --sym-exact -- A
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)
int main(int argc, char **argv) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    char *m = mmap(0, 8192, PROT_READ | PROT_WRITE, ANON, -1, 0);
    assert(m != MAP_FAILED);
    m[4096] = 'k';
    assert(mprotect(m + 4096, 4096, PROT_NONE) == 0);
    if (x == 2) return m[4097]; //~ out_of_bounds
    if (x == 3) m[4095 + 1] = 1; //~ out_of_bounds
    if (x == 4) return write(1, m + 4096, 1) != -1 || errno != EFAULT;
    assert(mprotect(m + 4096, 4096, PROT_READ) == 0);
    assert(m[4096] == 'k');
    if (x == 5) m[4096] = 1; //~ readonly
    char *reserved = mmap(0, 16384, PROT_NONE, ANON, -1, 0);
    assert(mprotect(reserved + 4096, 4096, PROT_READ | PROT_WRITE) == 0);
    reserved[4096] = 1;
    if (x == 6) return reserved[8192]; //~ out_of_bounds
    char *again = mmap(reserved, 4096, PROT_READ | PROT_WRITE, ANON | MAP_FIXED, -1, 0);
    assert(again == reserved && again[0] == 0);
    again[0] = 1;
    assert(mmap(reserved, 4096, PROT_READ, ANON | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED);
    assert(errno == EEXIST);
    int fd = open(argv[1], O_RDONLY);
    if (fd < 0) return 0;
    char *file = mmap(0, 8192, PROT_READ, MAP_PRIVATE, fd, 0);
    assert(file != MAP_FAILED && file[100] == 0);
    if (x == 7) return file[4096]; //~ out_of_bounds
    char *small = mmap(0, 4096, PROT_READ | PROT_WRITE, ANON, -1, 0);
    small[5] = x;
    char *larger = mremap(small, 4096, 12288, MREMAP_MAYMOVE);
    assert(larger != MAP_FAILED && larger[5] == (char)x && larger[12000] == 0);
    assert(mremap(larger, 12288, 4096, 0) == larger);
    if (x == 8) return larger[4096]; //~ out_of_bounds
    return 0;
}
