// halted: O_DIRECT of a pipe (packets)
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  int p[2];
  return x ? pipe2(p, O_DIRECT) : 0;
}
