/* Modelled replay: the program's coverage sites update the path hash (ir::trace), its system calls
 * are answered by the replaying Polypath, which runs the same model of Linux as the machine.
 *
 * Both sides talk over descriptor 1021. The program asks (struct request); Polypath commands
 * (struct command) until it returns a result. See src/replay/modelled.rs.
 *
 * Freestanding: linked into a static binary before libc.a, so that these definitions win. Memory
 * comes zeroed, as undefined values are zero in the machine too, and is never reused. */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

/* Descriptors from OWN on are ours: the real kernel serves them. */
enum { OWN = 1000, LINK = 1021 };
enum { SYS_read = 0, SYS_write = 1, SYS_open = 2, SYS_mmap = 9, SYS_openat = 257, SYS_fcntl = 72,
       SYS_close = 3, SYS_exit_group = 231 };
/* Requests beside system calls. */
enum { HELLO = -1, REACHED = -2, HANDLER_RETURNED = -3 };
enum { RETURN = 1, EXECUTE, HANDLE, EXIT };

struct request {
	i64 number;
	u64 args[6];
	u64 hash;
};

struct command {
	u64 kind;
	/* RETURN: the result. EXECUTE: a system call. HANDLE: signal, handler, wants siginfo.
	 * EXIT: the status. */
	i64 args[7];
	u8 siginfo[128];
};

static u64 hash = 0x243F6A8885A308D3ul;
static u64 target;
static int complete, ready;

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
			u64 context[128] = { 0 };
			((void (*)(int, void *, void *))x[1])((int)x[0], command.siginfo, context);
			request = (struct request){ HANDLER_RETURNED, { 0 }, hash };
			break;
		}
		default:
			leave(x[0]);
		}
	}
}

static void prepare(void)
{
	ready = 1;
	target = ask(HELLO, 0, 0, 0, 0, 0, 0);
	complete = (int)ask(HELLO, 1, 0, 0, 0, 0, 0);
	if (!complete && hash == target) ask(REACHED, 0, 0, 0, 0, 0, 0);
}

void __polypath_site(int site)
{
	if (!ready) prepare();
	u64 h = (hash ^ (u32)site) * 0x9E3779B97F4A7C15ul;
	hash = h << 23 | h >> 41;
	if (!complete && hash == target) ask(REACHED, 0, 0, 0, 0, 0, 0);
}

/* The file with the test's objects, which klee_make_symbolic reads. */
static int is_own_path(const char *path)
{
	const char *own = "/proc/self/fd/1020";
	while (*own && *own == *path) own++, path++;
	return *own == *path;
}

/* libpolypath.a asks for the file's name. The program's libc is part of its bitcode and keeps the
 * environment to itself, so this is not answered from there: libc.a's copy never saw it. */
char *getenv(const char *name)
{
	const char *asked = "KTEST_FILE";
	while (*asked && *asked == *name) asked++, name++;
	return *asked == *name ? "/proc/self/fd/1020" : 0;
}

long __polypath_syscall6(long n, long a, long b, long c, long d, long e, long f)
{
	if (!ready) prepare();
	int opens = (n == SYS_open && is_own_path((const char *)a)) || (n == SYS_openat && is_own_path((const char *)b));
	if (opens) {
		i64 fd = real(n, a, b, c, d, e, f);
		if (fd < 0) return fd;
		i64 moved = real(SYS_fcntl, fd, 0 /* F_DUPFD */, OWN, 0, 0, 0);
		real(SYS_close, fd, 0, 0, 0, 0, 0);
		return moved;
	}
	/* Of calls whose first argument is small only those on descriptors of ours look like this. */
	int on_descriptor = n <= 20 && n != 9 && n != 10 && n != 11 && n != 12 && n != 13 && n != 14 && n != 15 && n != 7;
	if ((on_descriptor || n == SYS_fcntl) && a >= OWN && a < OWN + 64) return real(n, a, b, c, d, e, f);
	return ask(n, a, b, c, d, e, f);
}

/* ---- the malloc family: operations of the engine, hence ours here --------------------------- */

#define ARENA (1ul << 36)
/* The machine's limits for one object and for all live ones (memory::Checks). */
#define LARGEST (1ul << 31)
#define ALL (8ul << 30)
static u64 arena, arena_end, live;

static void *take(u64 align, u64 size)
{
	if (!arena) {
		/* PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE */
		arena = real(SYS_mmap, 0, ARENA, 3, 0x4022, -1, 0);
		if (arena > -4096ul) leave(124);
		arena_end = arena + ARENA;
	}
	if (align < 16) align = 16;
	u64 at = (arena + 16 + align - 1) & -align;
	if (size > LARGEST || live + size > ALL || at + size + 32 > arena_end) {
		extern int *__errno_location(void);
		*__errno_location() = 12;
		return 0;
	}
	((u64 *)at)[-1] = size;
	live += size;
	arena = at + ((size + 16) & -16ul);
	return (void *)at;
}

void *malloc(u64 size) { return take(16, size); }
void free(void *p) { if (p) live -= ((u64 *)p)[-1]; }

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

void *memalign(u64 align, u64 size) { return take(align, size); }
void *aligned_alloc(u64 align, u64 size) { return take(align, size); }

int posix_memalign(void **result, u64 align, u64 size)
{
	void *p = take(align, size);
	if (!p) return 12;
	*result = p;
	return 0;
}

u64 malloc_usable_size(void *p) { return p ? ((u64 *)p)[-1] : 0; }
