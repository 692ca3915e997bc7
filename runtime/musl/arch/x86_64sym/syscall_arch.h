/* Every system call of the program goes through one external function, so that an executor or a
 * replay binary can answer it. The archive's own definition (a member by itself, hence replaceable
 * by an object given earlier on the link line) makes the real call. */
#define __SYSCALL_LL_E(x) (x)
#define __SYSCALL_LL_O(x) (x)

long __polypath_syscall6(long n, long a, long b, long c, long d, long e, long f);

static __inline long __syscall0(long n) { return __polypath_syscall6(n, 0, 0, 0, 0, 0, 0); }
static __inline long __syscall1(long n, long a) { return __polypath_syscall6(n, a, 0, 0, 0, 0, 0); }
static __inline long __syscall2(long n, long a, long b) { return __polypath_syscall6(n, a, b, 0, 0, 0, 0); }
static __inline long __syscall3(long n, long a, long b, long c) { return __polypath_syscall6(n, a, b, c, 0, 0, 0); }
static __inline long __syscall4(long n, long a, long b, long c, long d) { return __polypath_syscall6(n, a, b, c, d, 0, 0); }
static __inline long __syscall5(long n, long a, long b, long c, long d, long e) { return __polypath_syscall6(n, a, b, c, d, e, 0); }
static __inline long __syscall6(long n, long a, long b, long c, long d, long e, long f) { return __polypath_syscall6(n, a, b, c, d, e, f); }

/* No VDSO_USEFUL: the clock must go through the hook like everything else. */
#define IPC_64 0
