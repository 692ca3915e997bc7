// What ordinary programs do with these calls is no loss.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  int f = open("data", O_CREAT | O_RDWR, 0600);
  static char page[4096];
  struct flock whole = {.l_type = F_WRLCK}, none = {.l_type = F_UNLCK};
  assert(flock(f, LOCK_EX) == 0 && fcntl(f, F_SETLK, &whole) == 0);
  assert(write(f, page, sizeof page) == sizeof page && fsync(f) == 0 && fdatasync(f) == 0);
  assert(posix_fadvise(f, 0, 0, POSIX_FADV_SEQUENTIAL) == 0 && readahead(f, 0, 4096) == 0);
  char *p = mmap(0, sizeof page, PROT_READ, MAP_PRIVATE, f, 0);
  assert(p != MAP_FAILED && msync(p, sizeof page, MS_SYNC) == 0 && p[x] == 0);
  // Behind what is mapped, and after that.
  assert(pwrite(f, "x", 1, 4096) == 1 && munmap(p, sizeof page) == 0);
  assert(pwrite(f, "x", 1, 0) == 1 && ftruncate(f, 0) == 0);
  assert(fcntl(f, F_SETLK, &none) == 0 && flock(f, LOCK_UN) == 0);
  return 0;
}
