// Parts of one mapping have protections of their own, and an index may choose between them.
// run: --mode concolic --sym-files 1 8 -- A
// message: read of 4 bytes 0 bytes inside the mapping of 4096 bytes that must not be accessed
// message: write of 1 byte to constant memory: 3841 bytes inside the mapping
// message: write of 1 byte to constant memory: 0 bytes inside the global
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)
#define PAGE 4096
// Three pages, of which the second one has another protection.
static char *pages(int protection) {
    char *p = mmap(0, 3 * PAGE, PROT_READ | PROT_WRITE, ANON, -1, 0);
    assert(p != MAP_FAILED);
    memset(p, 'p', 3 * PAGE);
    assert(mprotect(p + PAGE, PAGE, protection) == 0);
    return p;
}
int main(int argc, char **argv) {
    unsigned char x, i;
    klee_make_symbolic(&x, 1, "x");
    klee_make_symbolic(&i, 1, "i");
    char *p = pages(x % 2 ? PROT_NONE : PROT_READ);
    switch (x) {
    // All of it readable.
    case 0: return p[PAGE - 128 + i] != 'p';
    case 2: return p[2 * PAGE - 128 + i] != 'p';
    case 4: return *(int *)(p + PAGE - 4 + i % 8) != 0x70707070;
    case 6: p[2 * PAGE - 255 + i % 128] = 1; break; //~ readonly
    case 8: p[PAGE - 8 + i % 8] = 1; break;
    case 10: p[PAGE - 8 + i % 16] = 1; break; //~ readonly
    case 12: memcpy(p + 16 + i % 4, p + PAGE - 8 + i % 4, 32); break;
    case 14: memcpy(p + PAGE - 16 + i % 4, p, 16); break; //~ readonly
    // A hole.
    case 1: return p[PAGE + i]; //~ out_of_bounds
    case 3: return p[PAGE - 128 + i]; //~ out_of_bounds
    case 5: return *(int *)(p + PAGE + 4 * i); //~ out_of_bounds
    case 7: p[PAGE + i] = 1; break; //~ out_of_bounds
    case 9: p[2 * PAGE - 128 + i] = 1; break; //~ out_of_bounds
    case 11: memcpy(p, p + PAGE - 16 + 16 * (i % 2), 8); break; //~ out_of_bounds
    case 13: memset(p + PAGE - 16 + 16 * (i % 2), 0, 8); break; //~ out_of_bounds
    case 15: return p[i % 2 ? PAGE + 10 : 10]; //~ out_of_bounds
    }
    if (x == 16) {
        // A store at an index, whose pages get protections of their own then.
        char *q = mmap(0, 2 * PAGE, PROT_READ | PROT_WRITE, ANON, -1, 0);
        q[PAGE - 128 + i] = 1;
        assert(mprotect(q + PAGE, PAGE, PROT_READ) == 0);
        assert(q[PAGE - 128 + i] == 1);
        q[PAGE - 256 + i % 128] = 2;
        q[PAGE + 100] = 3; //~ readonly
    }
    if (x == 17) {
        int fd = open(argv[1], O_RDONLY);
        if (fd < 0) return 0;
        char *file = mmap(0, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
        assert(file != MAP_FAILED);
        return file[PAGE - 128 + i]; //~ out_of_bounds
    }
    if (x == 18) {
        static const char table[256] = "constant";
        ((char *)table)[i] = 1; //~ readonly
    }
    return 0;
}
