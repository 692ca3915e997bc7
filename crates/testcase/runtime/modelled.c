/* Modelled replay: the program's coverage sites update the path hash (ir::trace), its system calls
 * are answered by the replaying Polypath, which runs the same model of Linux as the machine.
 *
 * The process is a server: told to on descriptor LINK, it forks a child that runs the program on one
 * test, and says how it ended. Both sides talk over that descriptor. The program asks (struct request);
 * Polypath commands (struct command) until it returns a result. See src/replay/modelled.rs.
 *
 * The kernel serves the link, memory and exit only (seccomp): whatever the program's own assembly asks for is refused.
 *
 * Freestanding: linked into a static binary before libc.a, so that these definitions win. Memory
 * comes zeroed, as undefined values are zero in the machine too, and heap memory is never reused. All lies where the
 * machine has it: see src/addresses.rs. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

enum { LINK = 1021 };
enum { SYS_read = 0, SYS_write = 1, SYS_mmap = 9, SYS_mprotect = 10, SYS_munmap = 11, SYS_rt_sigreturn = 15,
       SYS_mremap = 25, SYS_madvise = 28, SYS_getpid = 39, SYS_clone = 56, SYS_exit = 60, SYS_wait4 = 61,
       SYS_prctl = 157, SYS_arch_prctl = 158, SYS_exit_group = 231, SYS_seccomp = 317 };
/* Requests beside system calls. */
enum { HELLO = -1, REACHED = -2, HANDLER_RETURNED = -3, OBJECT = -4, SERVING = -5, ENDED = -6 };
enum { RETURN = 1, EXECUTE, HANDLE, EXIT, START };

struct request {
	i64 number;
	u64 args[6];
	u64 hash;
};

struct command {
	u64 kind;
	/* RETURN: the result. EXECUTE: a system call. HANDLE: signal, handler, signal mask; the handler's mask comes back.
	 * EXIT: the status. START: the path hash to reach, whether it is that of the end, the stack pointer, whether
	 * sites are logged. */
	i64 args[7];
	u8 siginfo[128];
};

static u64 hash = 0x243F6A8885A308D3ul;
static u64 target;
static int complete, logs;

static i64 real(i64 n, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f)
{
	i64 result;
	register i64 r10 __asm__("r10") = d;
	register i64 r8 __asm__("r8") = e;
	register i64 r9 __asm__("r9") = f;
	__asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
	                 : "rcx", "r11", "memory");
	return result;
}

static _Noreturn void leave(i64 status)
{
	for (;;) real(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

static void tell(const struct request *request)
{
	if (real(SYS_write, LINK, (i64)request, sizeof *request, 0, 0, 0) != sizeof *request) leave(125);
}

static void hear(struct command *command)
{
	u64 got = 0;
	while (got < sizeof *command) {
		i64 n = real(SYS_read, LINK, (i64)((u8 *)command + got), sizeof *command - got, 0, 0, 0);
		if (n <= 0) leave(125);
		got += n;
	}
}

/* Asks, and does as told until there is a result. */
static i64 ask(i64 number, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
	struct request request = { number, { a, b, c, d, e, f }, hash };
	struct command command;
	for (;;) {
		tell(&request);
		hear(&command);
		const i64 *x = command.args;
		switch (command.kind) {
		case RETURN:
			return x[0];
		case EXECUTE:
			request = (struct request){ real(x[0], x[1], x[2], x[3], x[4], x[5], x[6]), { 0 }, hash };
			break;
		case HANDLE: {
			/* A ucontext_t: RSP and RIP are some addresses, then the floating-point state and the mask. */
			u64 context[117] = { [20] = (u64)&request, [21] = x[1], [37] = x[2] };
			context[28] = (u64)(context + 53);
			((void (*)(int, void *, void *))x[1])((int)x[0], command.siginfo, context);
			request = (struct request){ HANDLER_RETURNED, { context[37] }, hash };
			break;
		}
		default:
			leave(x[0]);
		}
	}
}

/* ---- memory at the machine's addresses ------------------------------------------------------- */

/* Constants that are not defined here are the machine's (src/sanitize.rs).
 * The arguments and the environment end at HEAP - 4096 (exec::input), the heap begins behind the break. */
#define IMAGE (HEAP - IMAGE_SIZE)
#define IMAGE_SIZE (64ul << 20)
#define ARENA (1ul << 36)
/* So many marks of the stack can be saved at the same time. */
#define SAVED_MOST (1ul << 20)
/* Sites passed, shared with the server: their number, then each. */
#define LOG_SIZE (256ul << 20)
static u64 *sites_logged;
static u32 *log_of_sites;

/* Where the stack stands: its top, and how many objects are live (see below). */
struct mark {
	u64 top, count;
};
static struct mark *saved;
static u64 saved_count;

static u64 map(u64 at, u64 size, int shared)
{
	/* PROT_READ | PROT_WRITE, MAP_SHARED or MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE */
	u64 got = real(SYS_mmap, at, size, 3, (shared ? 0x4021 : 0x4022) | (at ? 0x100000 : 0), -1, 0);
	if (got > -4096ul || (at && got != at)) leave(124);
	return got;
}

void __polypath_site(int site)
{
	u64 h = (hash ^ (u32)site) * 0x9E3779B97F4A7C15ul;
	hash = h << 23 | h >> 41;
	if (logs && *sites_logged < LOG_SIZE / 4 - 2) log_of_sites[(*sites_logged)++] = site;
	if (!complete && hash == target) ask(REACHED, 0, 0, 0, 0, 0, 0);
}

/* ---- the server ------------------------------------------------------------------------------ */

struct filter {
	u16 code;
	u8 jt, jf;
	u32 k;
};

/* Of all system calls allows these, for this process and its children. */
static void allow(const u16 *numbers, u32 count)
{
	struct filter program[64] = {
		{ 0x20, 0, 0, 4 },                /* load the architecture */
		{ 0x15, 1, 0, 0xC000003E },       /* x86-64: over the next */
		{ 0x06, 0, 0, 0x80000000 },       /* kill */
		{ 0x20, 0, 0, 0 },                /* load the number */
	};
	u32 n = 4;
	for (u32 i = 0; i < count; i++) {
		program[n++] = (struct filter){ 0x15, 0, 1, numbers[i] };
		program[n++] = (struct filter){ 0x06, 0, 0, 0x7FFF0000 };
	}
	program[n++] = (struct filter){ 0x06, 0, 0, 0x00050001 }; /* EPERM */
	struct { u16 length; struct filter *filter; } all = { n, program };
	/* PR_SET_NO_NEW_PRIVS; SECCOMP_SET_MODE_FILTER */
	if (real(SYS_prctl, 38, 1, 0, 0, 0, 0) || real(SYS_seccomp, 1, 0, (i64)&all, 0, 0, 0)) leave(123);
}

/* The program's; the server needs the others, too. */
static const u16 allowed[] = { SYS_read, SYS_write, SYS_mmap, SYS_mprotect, SYS_munmap, SYS_mremap, SYS_madvise,
                               SYS_rt_sigreturn, SYS_arch_prctl, SYS_exit, SYS_exit_group,
                               SYS_getpid, SYS_clone, SYS_wait4, SYS_prctl, SYS_seccomp };
enum { OF_PROGRAM = 11, OF_SERVER = sizeof allowed / sizeof *allowed };

int main();
int __libc_start_main(int (*)(), int, char **, void (*)(void), void (*)(void), void (*)(void));

static _Noreturn void run_program(const struct command *start)
{
	target = start->args[0];
	complete = start->args[1] != 0;
	logs = start->args[3] != 0;
	i64 pid = real(SYS_getpid, 0, 0, 0, 0, 0, 0);
	allow(allowed, OF_PROGRAM);
	/* Polypath writes arguments and environment meanwhile. */
	ask(HELLO, pid, 0, 0, 0, 0, 0);
	if (!complete && hash == target) ask(REACHED, 0, 0, 0, 0, 0, 0);
	u64 *stack = (u64 *)start->args[2];
	leave(__libc_start_main(main, (int)stack[0], (char **)(stack + 1), 0, 0, 0));
}

__attribute__((used)) _Noreturn void polypath_modelled_serve(void)
{
	map(IMAGE, IMAGE_SIZE, 0);
	map(HEAP, ARENA, 0);
	map(STACK, STACK_END - STACK, 0);
	saved = (struct mark *)map(0, SAVED_MOST * sizeof *saved, 0);
	sites_logged = (u64 *)map(0, LOG_SIZE, 1);
	log_of_sites = (u32 *)(sites_logged + 1);
	allow(allowed, OF_SERVER);
	struct request said = { SERVING, { (u64)sites_logged }, 0 };
	tell(&said);
	for (;;) {
		struct command command;
		hear(&command);
		if (command.kind != START) leave(0);
		*sites_logged = 0;
		/* fork: SIGCHLD */
		i64 pid = real(SYS_clone, 17, 0, 0, 0, 0, 0);
		if (pid == 0) run_program(&command);
		int status = 0;
		if (pid > 0) real(SYS_wait4, pid, (i64)&status, 0, 0, 0, 0);
		said = (struct request){ ENDED, { pid < 0, status }, 0 };
		tell(&said);
	}
}

__asm__(".globl polypath_modelled_start\n"
        "polypath_modelled_start:\n"
        "	xor %ebp, %ebp\n"
        "	and $-16, %rsp\n"
        "	call polypath_modelled_serve\n");

/* ---- system calls ---------------------------------------------------------------------------- */

/* What klee_make_symbolic takes (runtime/native/klee_replay.c): the next object of the test whose name fits. */
void __polypath_object(void *at, u64 size, const char *name)
{
	u64 length = 0;
	while (name[length]) length++;
	ask(OBJECT, (u64)at, size, (u64)name, length, 0, 0);
}

long __polypath_syscall6(long n, long a, long b, long c, long d, long e, long f) { return ask(n, a, b, c, d, e, f); }

/* ---- objects: laid out as ir::layout and memory::alloc do ------------------------------------- */

#define PAGE 4096ul

static u64 up(u64 n, u64 align) { return (n + align - 1) & -align; }

/* Unaddressable bytes behind an object that has others before it. */
static u64 gap(u64 size, u64 others, u64 small)
{
	u64 least = others >= FEW ? RED_ZONE : size > small ? GAP : SMALL_GAP;
	u64 most = size < GAP_MAX ? size : GAP_MAX;
	return up(most > least ? most : least, 16);
}

/* Where an object may begin: aligned, and in one page if it fits there. */
static u64 place(u64 from, u64 size, u64 align)
{
	u64 start = up(from, align);
	if (size <= PAGE && start % PAGE + size > PAGE) return up(start, align > PAGE ? align : PAGE);
	return start;
}

/* The malloc family: operations of the engine, hence ours here. The size stands before the object, where nothing else is. */
static u64 arena = HEAP_START, live, live_count;

/* Sets errno. */
static void fails(int number)
{
	extern int *__errno_location(void);
	*__errno_location() = number;
}

static void *take_quietly(u64 align, u64 size)
{
	u64 natural = size >= 4 * PAGE ? PAGE : 16;
	u64 at = place(arena, size, align > natural ? align : natural);
	u64 next = up(at + size, 16) + gap(size, live_count, SMALL);
	if (size > LARGEST || live + size > ALL || next > HEAP + ARENA) return 0;
	((u64 *)at)[-1] = size;
	live += size;
	live_count++;
	arena = next;
	return (void *)at;
}

static void *take(u64 align, u64 size)
{
	void *p = take_quietly(align, size);
	if (!p) fails(12);
	return p;
}

void *malloc(u64 size) { return take(16, size); }

void free(void *p)
{
	if (!p) return;
	live -= ((u64 *)p)[-1];
	live_count--;
}

void *calloc(u64 count, u64 size)
{
	u64 bytes;
	return take(16, __builtin_mul_overflow(count, size, &bytes) ? -1ul : bytes);
}

void *realloc(void *p, u64 size)
{
	u8 *q = take(16, size);
	if (p && q) {
		u64 old = ((u64 *)p)[-1], n = old < size ? old : size;
		for (u64 i = 0; i < n; i++) q[i] = ((u8 *)p)[i];
		free(p);
	}
	return q;
}

void *reallocarray(void *p, u64 count, u64 size)
{
	u64 bytes;
	return realloc(p, __builtin_mul_overflow(count, size, &bytes) ? -1ul : bytes);
}

static int is_power(u64 n) { return n && !(n & (n - 1)); }

void *memalign(u64 align, u64 size)
{
	if (!is_power(align)) return fails(22), (void *)0;
	return take(align, size);
}
void *aligned_alloc(u64 align, u64 size) { return memalign(align, size); }

int posix_memalign(void **result, u64 align, u64 size)
{
	if (!is_power(align) || align < 8) return 22;
	void *p = take_quietly(align, size);
	if (!p) return 12;
	*result = p;
	return 0;
}

u64 malloc_usable_size(void *p) { return p ? ((u64 *)p)[-1] : 0; }

/* Libc's own names for them, for what it allocates itself. */
void *__libc_malloc(u64 size) { return malloc(size); }
void __libc_free(void *p) { free(p); }
void *__libc_calloc(u64 count, u64 size) { return calloc(count, size); }
void *__libc_realloc(void *p, u64 size) { return realloc(p, size); }

/* Libc's assembly under posix_spawn. The machine refuses it so, too. */
int __clone(void) { return -38; }

/* Stack objects, upwards (src/addresses.rs puts the calls in). */
static struct mark stack = { STACK_START, 0 };

void *__polypath_alloca(u64 size, u64 align)
{
	u64 at = place(stack.top, size, align < 16 ? 16 : align);
	u64 top = up(at + size, 16) + gap(size, stack.count, SMALL_LOCAL);
	/* The machine ends such a path before, too. */
	if (top > STACK_END || top < at) leave(122);
	/* What lies there is of a frame that returned: undefined values are zero. */
	for (u64 i = 0; i < size; i++) ((u8 *)at)[i] = 0;
	stack.top = top;
	stack.count++;
	return (void *)at;
}

struct mark __polypath_mark(void) { return stack; }
void __polypath_release(struct mark mark) { stack = mark; }

/* As in the machine, the program gets the number of a mark, and those behind one that is restored are forgotten. */
void *__polypath_stack_save(void)
{
	if (saved_count == SAVED_MOST) leave(121);
	saved[saved_count] = stack;
	return (void *)saved_count++;
}

void __polypath_stack_restore(void *number)
{
	saved_count = (u64)number;
	stack = saved[saved_count];
}
