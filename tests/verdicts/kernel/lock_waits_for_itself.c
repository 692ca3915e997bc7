// halted: paths blocked
#include <fcntl.h>
#include <sys/file.h>
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  int a = open("l", O_CREAT | O_RDWR, 0600), b = open("l", O_RDWR);
  flock(a, LOCK_EX);
  return x ? flock(b, LOCK_EX) : 0;
}
