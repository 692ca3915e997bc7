// Functions of libc with variable arguments, beside printf and scanf.
// run: --cc-flag=-w
#include <err.h>
#include <error.h>
#include <fcntl.h>
#include <klee/klee.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    switch (x) {
    case 0: warnx("%s %s", "a"); break; //~ out_of_bounds
    case 1: warnx("%d", 1.5); break; //~ misuse
    case 2: open("f", O_CREAT | O_RDWR); break; //~ out_of_bounds
    case 3: openat(AT_FDCWD, "f", O_CREAT | O_RDWR); break; //~ out_of_bounds
    case 4: errx(1, "%d"); break; //~ out_of_bounds
    case 5: error(0, 0, "%y"); break; //~ misuse
    case 6: error_at_line(0, 0, "f", 1, "%s", 1); break; //~ misuse
    case 7: open(".", O_RDONLY); break;
    case 8: warn("%s %d", "a", 3); break;
    case 9: open("f", O_CREAT | O_RDWR, 0644); break;
    case 10: error(0, 0, "%s%d", "a", 2); break;
    case 11: error_at_line(0, 0, "f", 1, "%s", "a"); break;
    case 12: openat(AT_FDCWD, "f", O_CREAT | O_RDWR, 0600); break;
    case 13: error(3, 2, "%ld", 2L); break;
    case 14: warnx("%d"); break; //~ out_of_bounds
    }
    return 0;
}
