// halted: a change of a file that is mapped
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  int a = open("l", O_CREAT | O_RDWR | O_TRUNC, 0600);
  write(a, "a", 1);
  char *p = mmap(0, 10, PROT_READ, MAP_SHARED, a, 0);
  if (p == MAP_FAILED)
    return 1;
  if (x)
    pwrite(a, "z", 1, 0);
  return p[0];
}
