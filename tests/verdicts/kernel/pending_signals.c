// Which of several pending signals is taken first, and how often.
#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <klee/klee.h>

static int count;
static long order;
static void handler(int s) {
  count++;
  order = order * 100 + s;
}

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, "x");
  sigset_t m;
  int s = 0;
  sigfillset(&m);
  sigprocmask(SIG_BLOCK, &m, 0);
  int signals[] = {SIGUSR1, SIGUSR2, SIGINT, SIGSEGV, SIGRTMIN + 1};
  for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
    signal(signals[i], handler);
  if (x == 0) {
    // Real-time signals are queued, others are not.
    for (int i = 0; i < 3; i++) {
      raise(SIGRTMIN + 1);
      raise(SIGUSR1);
    }
    sigprocmask(SIG_UNBLOCK, &m, 0);
    assert(count == 4);
    abort(); //~ abort
  }
  if (x == 1) {
    // Those of the thread before those of the process, of these the faults, then the lowest.
    kill(getpid(), SIGINT);
    raise(SIGUSR2);
    raise(SIGUSR1);
    raise(SIGSEGV);
    int expected[] = {SIGSEGV, SIGUSR1, SIGUSR2, SIGINT};
    for (int i = 0; i < 4; i++)
      assert(sigwait(&m, &s) == 0 && s == expected[i]);
    abort(); //~ abort
  }
  // Of several handlers that are entered at once the last one begins.
  raise(SIGUSR2);
  raise(SIGINT);
  raise(SIGUSR1);
  sigprocmask(SIG_UNBLOCK, &m, 0);
  assert(order == 121002);
  abort(); //~ abort
}
