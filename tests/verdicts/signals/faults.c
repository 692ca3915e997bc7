// The handler of a fault that a page's protection causes is run, and the access is made again.
// run: --sym-files 1 8 -- A
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <klee/klee.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)
#define PAGE 4096
static char *p, *hit;
static int n;
static sigjmp_buf back;
static void barrier(int s, siginfo_t *info, void *context) {
    n++;
    assert(s == SIGSEGV && info->si_code == SEGV_ACCERR);
    hit = info->si_addr;
    mprotect((char *)((unsigned long)hit & -PAGE), PAGE, PROT_READ | PROT_WRITE);
}
static void leaves(int s) { siglongjmp(back, 1); }
static void gives_up(int s) { _exit(0); }
static void dies(int s) { abort(); }
static void again(int s) {
    signal(s, SIG_DFL);
    raise(s);
}
static void idle(int s) {}
static void patient(int s) {
    if (++n == 3) mprotect(p, PAGE, PROT_READ | PROT_WRITE);
}
int main(int argc, char **argv) {
    unsigned char x, i;
    klee_make_symbolic(&x, 1, "x");
    klee_make_symbolic(&i, 1, "i");
    struct sigaction action = {.sa_sigaction = barrier, .sa_flags = SA_SIGINFO};
    p = mmap(0, 2 * PAGE, x & 1 ? PROT_NONE : PROT_READ, ANON, -1, 0);
    switch (x) {
    case 0:
    case 1:
        sigaction(SIGSEGV, &action, 0);
        p[5] = i;
        assert(n == 1 && hit == p + 5 && p[5] == (char)i);
        if (i == 7) abort(); //~ abort
        p[6] = i;
        assert(n == 1);
        break;
    case 2:
    case 3:
        sigaction(SIGSEGV, &action, 0);
        p[PAGE - 2 + i % 4] = 1;
        assert(n == 1 && hit == p + PAGE - 2 + i % 4 && *hit == 1);
        if (i == 9) abort(); //~ abort
        break;
    case 4:
    case 5:
        sigaction(SIGSEGV, &action, 0);
        memset(p + PAGE - 8, 'm', 16);
        assert(n == 2 && hit == p + PAGE && p[PAGE - 1] == 'm' && *hit == 'm');
        break;
    case 6:
    case 7:
        sigaction(SIGSEGV, &action, 0);
        *(int *)(p + PAGE - 2) = -1;
        assert(n == 2 && p[PAGE - 1] == -1 && p[PAGE + 1] == -1);
        break;
    case 8:
    case 9:
        signal(SIGSEGV, leaves);
        if (sigsetjmp(back, 1) == 0) p[i % 4] = 1;
        else if (i == 3) abort(); //~ abort
        break;
    case 10:
    case 11:
        signal(SIGSEGV, gives_up);
        p[1] = 1; //~ readonly out_of_bounds
        break;
    case 12:
        signal(SIGSEGV, dies);
        p[1] = 1; //~ readonly
        break;
    case 14:
        signal(SIGSEGV, again);
        p[1] = 1; //~ readonly
        break;
    case 16:
        signal(SIGSEGV, idle);
        p[1] = 1; //~ readonly
        break;
    case 18: {
        signal(SIGSEGV, gives_up);
        int fd = open(argv[1], O_RDONLY);
        if (fd < 0) return 0;
        char *file = mmap(0, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
        if (i == 1) signal(SIGBUS, leaves);
        if (sigsetjmp(back, 1) == 0) return file[PAGE]; //~ out_of_bounds
        break;
    }
    case 20: {
        sigset_t all;
        sigfillset(&all);
        sigaction(SIGSEGV, &action, 0);
        sigprocmask(SIG_BLOCK, &all, 0);
        p[1] = 1; //~ readonly
        break;
    }
    case 22:
        signal(SIGSEGV, patient);
        p[1] = i;
        assert(n == 3 && p[1] == (char)i);
        if (i == 11) abort(); //~ abort
    }
    return 0;
}
