// run: --sym-stdin 4 --sym-exact
#include <assert.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    char *page = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(page != MAP_FAILED);
    assert(read(0, page, 4) == -1 && errno == EFAULT);
    return 0;
}
