// Each call of the table, with freed memory in each of its places in turn: none answers EFAULT.
// halted: blocked
#include <errno.h>
#include <klee/klee.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static char valid[8192];

int main(void) {
    int chosen = klee_range(0, 335 * 6, "chosen"), nr = 0;
    while (nr < 334 && chosen >= 6 * (nr + 1)) nr++;
    int place = 0;
    while (place < 5 && chosen > 6 * nr + place) place++;
    char *b = malloc(64);
    if (!b) return 1;
    free(b);
    long a[6];
    for (int i = 0; i < 6; i++) a[i] = (long)valid;
    a[place] = (long)b;
    for (int first = 0; first < 2; first++) {
        if (first && place) a[0] = 1;
        long r = syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]); //~ use_after_free out_of_bounds
        if (r != -1) return 0;
        if (errno == EFAULT) klee_report_error(__FILE__, __LINE__, "EFAULT", "efault");
        if (errno != EBADF) return 0;
    }
    return 0;
}
