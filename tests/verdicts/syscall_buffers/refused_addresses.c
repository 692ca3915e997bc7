// The kernel refuses these, and a program may find out.
#include <assert.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    assert(stat((char *)16, 0) == -1 && errno == EFAULT);
    assert(write(1, (void *)-4096L, 4) == -1 && errno == EFAULT);
    char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(page != MAP_FAILED && !munmap(page, 4096));
    assert(write(1, page, 4) == -1 && errno == EFAULT);
    return 0;
}
