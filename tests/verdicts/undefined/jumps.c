// run: --check memory,assert,div,shift,builtin,align,overlap,scope,varargs,libc,pedantic,overflow,bounds,uninit,function-type,memcmp,fp-cast,fp-overflow
/* C11 Annex J.2, 7.13 and 7.14: jumps and signals. How the rows are written: crates/cli/tests/undefined.rs. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "klee/klee.h"

static volatile int sink;
static jmp_buf gone;
static int zero;

static int returns(void) { return setjmp(gone); }
static void comes_back(int signal) { sink = signal; }
static void raises(int signal) {
    static int depth;
    if (depth++ < 2) raise(signal);
}
static void prints(int signal) { printf("%d\n", signal); }
static void jumps(void) { longjmp(gone, 1); }
static void ends(void) { sink = 1; }
static void exits(void) { exit(1); } //~ misuse
static int changed(int bad) {
    static jmp_buf here;
    int x = 1;
    if (setjmp(here)) return x;
    if (bad) x = 2;
    longjmp(here, 1);
}

int main(void) {
    int row = klee_range(0, 20, "row");
    int bad = klee_range(0, 2, "bad");
    switch (row) {
    //# 7.13.2.1 | longjmp into a function that has returned
    case 1: {
        sink = returns();
        if (bad) longjmp(gone, 1); //~ use_after_free
        break;
    }
    //# 7.13.2.1 | longjmp to a buffer that setjmp did not fill
    case 2: {
        if (bad) longjmp(gone, 1); //~ uninitialized
        break;
    }
    //# 7.13.2.1 | A variable is used after longjmp that was changed since setjmp | not: every variable has the value that it was given, as with clang -O0
    case 3: sink = changed(bad); break;
    //# 7.14.1.1 | signal is given an invalid pointer to a function | not: the path ends as not supported where the signal arrives, which the run names
    //# 7.14.1.1 | A handler returns from a computational exception | not: a fault is reported at its place, and no handler is called
    //# 7.14.1.1 | A handler that raise called raises a signal | not: the kernel delivers it like any other
    case 5: {
        signal(SIGUSR1, bad ? raises : comes_back);
        raise(SIGUSR1);
        break;
    }
    //# 7.14.1.1 | A handler calls a function that is not safe in handlers | not: signals arrive where raise or a timer sends them; there is no check of what a handler calls
    case 6: {
        signal(SIGUSR1, bad ? prints : comes_back);
        raise(SIGUSR1);
        break;
    }
    //# 7.14.1.1 | errno is used after signal has failed in a handler | not: it has the value that signal stored
    //# 7.14.1.1 | A signal is raised by a handler of an asynchronous signal | not: the kernel delivers it like any other
    //# 7.22.4.4 | longjmp out of a function of atexit | not: musl ends the loop over these functions, as glibc does
    //# 7.22.4.7 | A signal is raised while quick_exit runs | not: it is delivered like any other
    //# 7.22.4.4 | exit and quick_exit are both called | found: in exits
    case 7: at_quick_exit(bad ? exits : ends); quick_exit(0); break;
    }
    (void)jumps;
    (void)returns;
    (void)zero;
    return 0;
}
