// Calls with nothing to do still look at their descriptors and ranges.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <klee/klee.h>

static char object[8192];

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  char *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *near = (char *)((unsigned long)object & ~4095ul);
  assert(msync(p, 8192, MS_SYNC) == 0 && mlock(p, 8192) == 0 && madvise(p, 8192, MADV_WILLNEED) == 0);
  assert(mlock(object, sizeof object) == 0 && mlock(&x, 1) == 0 && msync(near, 4096, MS_ASYNC) == 0);
  munmap(p + 4096, 4096);
  assert(msync(p, 8192, MS_SYNC) != 0 && errno == ENOMEM);
  assert(mlock(p, 8192) != 0 && errno == ENOMEM);
  assert(madvise(p, 8192, MADV_WILLNEED) != 0 && errno == ENOMEM);
  assert(msync(p + 1, 1, MS_SYNC) != 0 && errno == EINVAL);
  assert(readahead(99, 0, 1) != 0 && errno == EBADF);
  assert(sync_file_range(99, 0, 1, 0) != 0 && errno == EBADF);
  int f = open("f", O_CREAT | O_RDWR, 0600);
  assert(sync_file_range(f, -1, 1, 0) != 0 && errno == EINVAL);
  assert(posix_fadvise(f, 0, -1, POSIX_FADV_NORMAL) == EINVAL);
  if (x)
    abort(); //~ abort
}
