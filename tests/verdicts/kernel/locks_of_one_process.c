// Locks of flock and F_OFD_SETLK belong to open files, those of F_SETLK to the process: two descriptors of one file are in
// each other's way, and what the process locks is not in its own.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>
#include <klee/klee.h>

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  int a = open("l", O_CREAT | O_RDWR, 0600), b = open("l", O_RDWR), c = dup(a);
  struct flock l = {.l_type = F_WRLCK, .l_start = 5, .l_len = 10}, k;
  if (x == 0) {
    assert(flock(a, LOCK_EX) == 0 && flock(c, LOCK_SH | LOCK_NB) == 0);
    assert(flock(b, LOCK_SH | LOCK_NB) == 0 && flock(b, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK);
    // What b had is lost with the attempt.
    assert(flock(a, LOCK_EX | LOCK_NB) == 0);
    close(a);
    assert(flock(b, LOCK_SH | LOCK_NB) != 0);
    close(c);
    assert(flock(b, LOCK_SH | LOCK_NB) == 0);
    abort(); //~ abort
  }
  k = l;
  assert(fcntl(a, F_OFD_SETLK, &l) == 0);
  assert(fcntl(b, F_OFD_SETLK, &k) != 0 && errno == EAGAIN);
  k.l_type = F_RDLCK;
  assert(fcntl(b, F_GETLK, &k) == 0 && k.l_type == F_WRLCK && k.l_pid == -1 && k.l_start == 5 && k.l_len == 10);
  k = l;
  k.l_start = 15;
  assert(fcntl(a, F_SETLK, &k) == 0 && fcntl(b, F_SETLK, &k) == 0);
  // Any descriptor of the file that is closed ends them.
  close(open("l", O_RDONLY));
  assert(fcntl(b, F_OFD_SETLK, &k) == 0);
  abort(); //~ abort
}
