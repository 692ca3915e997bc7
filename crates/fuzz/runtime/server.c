/* The server inside a program that is fuzzed: it forks a child for each input, or gives a fuzz target many inputs in one child.
 *
 * The program is linked with `--wrap=main`, so that this code runs in the place of `main`, when everything before it is done once
 * and for all children. The fuzzer (src/server.rs) holds the other end of the socket on descriptor 0, and gives us
 * memory that both see: the counters of edges, the input, and the operands of comparisons.
 *
 * No function of the C library is used but the one that forks: whatever the program does to it does not reach us. */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

enum { SYS_read = 0, SYS_write = 1, SYS_open = 2, SYS_close = 3, SYS_mmap = 9, SYS_mprotect = 10, SYS_munmap = 11,
       SYS_rt_sigaction = 13, SYS_rt_sigprocmask = 14, SYS_rt_sigreturn = 15, SYS_dup2 = 33, SYS_getpid = 39, SYS_recvmsg = 47,
       SYS_wait4 = 61, SYS_kill = 62, SYS_fcntl = 72, SYS_setsid = 112, SYS_setrlimit = 160,
       SYS_lseek = 8, SYS_exit_group = 231, SYS_ppoll = 271, SYS_pipe2 = 293, SYS_memfd_create = 319 };

/* Descriptors that the program does not see: the link to the fuzzer, and what ends a child that takes too long. */
enum { LINK = 1000, KILL = 1001, MEMORY = 1002 };
enum { SIGKILL = 9, SIGCHLD = 17 };
enum { O_WRONLY = 1, O_RDWR = 2, O_CREAT = 0100, O_TRUNC = 01000, O_CLOEXEC = 02000000, F_SETPIPE_SZ = 1031 };
enum { PAGE = 4096, PIPE = 65536 };

/* How the program gets its input. */
enum { BY_FILE = 1, BY_STDIN = 2, BY_CALL = 3 };
/* How an execution ended. */
enum { ENDED = 1, KILLED = 2, BROKEN = 3 };

struct hello {
	u64 magic, counters, is_target;
};

struct setup {
	u64 size; /* of the shared memory, whose first bytes are the counters */
	u64 input_at, input_most;
	u64 log_at, log_size; /* of comparisons; 0: none */
	u64 address_space;
	u64 how;
	u64 rounds; /* inputs for one child, by call */
};

struct reply {
	u32 kind;
	int status;
	u32 serial; /* of the execution */
	u32 unused;
};

/* At `input_at`. */
struct input {
	u32 size;
	u32 runs; /* a child works on an input */
	u32 serial; /* the number of this execution */
	u8 bytes[];
};

static struct setup setup;
static struct input *input;

extern u8 __start___sancov_cntrs[] __attribute__((weak));
extern u8 polypath_counters_end[] __attribute__((weak)); /* counters.ld */
extern int _Fork(void);
extern int __real_main(int, char **, char **);
extern int LLVMFuzzerTestOneInput(const u8 *, u64) __attribute__((weak));
extern int LLVMFuzzerInitialize(int *, char ***) __attribute__((weak));

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
#define CALL(n, a, b, c) real(n, (i64)(a), (i64)(b), (i64)(c), 0, 0, 0)

static _Noreturn void leave(int status)
{
	for (;;) CALL(SYS_exit_group, status, 0, 0);
}

static void give(const void *from, u64 size)
{
	if (CALL(SYS_write, LINK, from, size) != (i64)size) leave(125);
}

/* ---- comparisons ------------------------------------------------------------------------------ */

enum { OPERAND = 32, EACH = 8, SITES = 4096 };

struct comparison {
	u64 site;
	u32 size;
	u32 is_text; /* the operands are bytes in memory and not a number */
	u8 a[OPERAND], b[OPERAND];
};

struct log {
	u64 count;
	u8 of_site[SITES];
	struct comparison entries[];
};

static struct log *comparisons;

static struct comparison *noted(u64 site)
{
	struct log *log = comparisons;
	if (!log || log->count >= (setup.log_size - sizeof *log) / sizeof *log->entries) return 0;
	u8 *times = &log->of_site[(site ^ site >> 12) % SITES];
	if (*times >= EACH) return 0;
	++*times;
	struct comparison *entry = &log->entries[log->count++];
	entry->site = site;
	return entry;
}

static void number(u64 site, u32 size, u64 a, u64 b)
{
	/* Operands that are equal tell nothing. */
	if (a == b) return;
	struct comparison *entry = noted(site);
	if (!entry) return;
	entry->size = size;
	entry->is_text = 0;
	*(u64 *)entry->a = a;
	*(u64 *)entry->b = b;
}

static void text(u64 site, const u8 *a, const u8 *b, u64 size)
{
	if (!comparisons || !a || !b) return;
	if (size > OPERAND) size = OPERAND;
	u64 same = 0;
	while (same < size && a[same] == b[same]) ++same;
	if (same == size) return;
	struct comparison *entry = noted(site);
	if (!entry) return;
	entry->size = size;
	entry->is_text = 1;
	for (u64 i = 0; i < size; ++i) entry->a[i] = a[i], entry->b[i] = b[i];
}

#define SITE ((u64)__builtin_return_address(0))

#define TRACED(SUFFIX, SIZE, TYPE) \
	void __sanitizer_cov_trace_cmp##SUFFIX(TYPE a, TYPE b) { number(SITE, SIZE, a, b); } \
	void __sanitizer_cov_trace_const_cmp##SUFFIX(TYPE a, TYPE b) { number(SITE, SIZE, b, a); }
TRACED(1, 1, u8)
TRACED(2, 2, unsigned short)
TRACED(4, 4, u32)
TRACED(8, 8, u64)

/* The number of cases, the bits of the value, the cases. */
void __sanitizer_cov_trace_switch(u64 value, const u64 *cases)
{
	for (u64 i = 0; comparisons && i < cases[0]; ++i) number(SITE + i, cases[1] / 8, value, cases[2 + i]);
}

void __sanitizer_cov_8bit_counters_init(u8 *start, u8 *stop) {}

static u64 length(const u8 *s, u64 most)
{
	u64 n = 0;
	while (n < most && s[n]) ++n;
	return n;
}

/* Of two strings, as many bytes as the longer one has, its end included. */
static void strings(u64 site, const u8 *a, const u8 *b, u64 most)
{
	if (!comparisons || !a || !b) return;
	if (most > OPERAND) most = OPERAND;
	u64 of_a = length(a, most), of_b = length(b, most), size = of_a > of_b ? of_a : of_b;
	u8 copy_a[OPERAND] = { 0 }, copy_b[OPERAND] = { 0 };
	for (u64 i = 0; i < of_a; ++i) copy_a[i] = a[i];
	for (u64 i = 0; i < of_b; ++i) copy_b[i] = b[i];
	text(site, copy_a, copy_b, size);
}

#define WRAPPED(TYPE, NAME, PARAMETERS, ARGUMENTS, NOTE) \
	extern TYPE __real_##NAME PARAMETERS __attribute__((weak)); \
	TYPE __wrap_##NAME PARAMETERS { NOTE; return __real_##NAME ARGUMENTS; }
#define ALL (~0ul)
WRAPPED(int, memcmp, (const void *a, const void *b, u64 n), (a, b, n), text(SITE, a, b, n))
WRAPPED(int, bcmp, (const void *a, const void *b, u64 n), (a, b, n), text(SITE, a, b, n))
WRAPPED(int, strcmp, (const char *a, const char *b), (a, b), strings(SITE, (u8 *)a, (u8 *)b, ALL))
WRAPPED(int, strncmp, (const char *a, const char *b, u64 n), (a, b, n), strings(SITE, (u8 *)a, (u8 *)b, n))
WRAPPED(int, strcasecmp, (const char *a, const char *b), (a, b), strings(SITE, (u8 *)a, (u8 *)b, ALL))
WRAPPED(int, strncasecmp, (const char *a, const char *b, u64 n), (a, b, n), strings(SITE, (u8 *)a, (u8 *)b, n))
WRAPPED(char *, strstr, (const char *a, const char *b), (a, b), strings(SITE, (u8 *)a, (u8 *)b, length((u8 *)b, OPERAND)))

/* ---- one input -------------------------------------------------------------------------------- */

static void limit(int what, u64 most)
{
	u64 both[2] = { most, most };
	CALL(SYS_setrlimit, what, both, 0);
}

static void make_file(void)
{
	i64 file = CALL(SYS_open, "A", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	/* What an earlier input made of its name is in the way. */
	if (file < 0) leave(125);
	u64 done = 0;
	while (done < input->size) {
		i64 n = CALL(SYS_write, file, input->bytes + done, input->size - done);
		if (n <= 0) leave(125);
		done += n;
	}
	CALL(SYS_close, file, 0, 0);
}

static void make_stdin(void)
{
	int ends[2];
	if (CALL(SYS_pipe2, ends, 0, 0) < 0) leave(125);
	i64 room = PIPE;
	if (input->size > PIPE) room = CALL(SYS_fcntl, ends[1], F_SETPIPE_SZ, input->size);
	if (room < (i64)input->size) {
		/* More than a pipe may have: a file. */
		CALL(SYS_close, ends[0], 0, 0);
		CALL(SYS_close, ends[1], 0, 0);
		ends[0] = (int)CALL(SYS_memfd_create, "stdin", 0, 0);
		ends[1] = ends[0];
	}
	u64 done = 0;
	while (done < input->size) {
		i64 n = CALL(SYS_write, ends[1], input->bytes + done, input->size - done);
		if (n <= 0) leave(125);
		done += n;
	}
	if (ends[0] == ends[1]) CALL(SYS_lseek, ends[0], 0, 0);
	else CALL(SYS_close, ends[1], 0, 0);
	CALL(SYS_dup2, ends[0], 0, 0);
	CALL(SYS_close, ends[0], 0, 0);
}

/* Waits for the next input. */
static void take(void)
{
	u8 go;
	if (CALL(SYS_read, LINK, &go, 1) != 1) leave(0);
	if (comparisons) {
		comparisons->count = 0;
		for (u64 i = 0; i < SITES; ++i) comparisons->of_site[i] = 0;
	}
}

/* From here on an end is that of the program. */
static void begin(void)
{
	__atomic_store_n(&input->runs, 1, __ATOMIC_SEQ_CST);
}

/* In a child: inputs for the fuzz target. Each ends where no memory is, so that reading behind it is a fault. */
static _Noreturn void call_target(void)
{
	u64 room = (setup.input_most + PAGE - 1) / PAGE * PAGE;
	u8 *end = (u8 *)real(SYS_mmap, 0, room + PAGE, 3, 0x22, -1, 0) + room;
	if ((i64)end < 0 && (i64)end > -PAGE || CALL(SYS_mprotect, end, PAGE, 0) != 0) leave(125);
	i64 own = CALL(SYS_getpid, 0, 0, 0);
	for (u64 round = 0; round < setup.rounds; ++round) {
		take();
		u64 size = input->size;
		u8 *data = end - size;
		for (u64 i = 0; i < size; ++i) data[i] = input->bytes[i];
		u32 serial = input->serial;
		begin();
		struct reply reply = { ENDED, LLVMFuzzerTestOneInput(data, size), serial, 0 };
		/* A child of its own that comes back, too. */
		if (CALL(SYS_getpid, 0, 0, 0) != own) leave(0);
		__atomic_store_n(&input->runs, 0, __ATOMIC_SEQ_CST);
		give(&reply, sizeof reply);
	}
	leave(0);
}

/* ---- the server ------------------------------------------------------------------------------- */

static void child_ended(int signal) {}

/* Ends a child, which may not have its own group yet, and those that it started. */
static void end(i64 child)
{
	CALL(SYS_kill, -child, SIGKILL, 0);
	CALL(SYS_kill, child, SIGKILL, 0);
}

__attribute__((naked)) static void back(void)
{
	__asm__ volatile("mov $15, %eax\n\tsyscall");
}

struct poll {
	int fd;
	short events, revents;
};

static void receive(void)
{
	union {
		u64 align;
		u8 bytes[64];
	} control;
	struct {
		void *base;
		u64 size;
	} part = { &setup, sizeof setup };
	struct {
		void *name;
		u32 name_size;
		void *parts;
		u64 count;
		void *control;
		u64 control_size;
		int flags;
	} message = { 0, 0, &part, 1, &control, sizeof control, 0 };
	/* A header of 16 bytes, and two descriptors. */
	if (CALL(SYS_recvmsg, LINK, &message, 0) != sizeof setup || message.control_size < 24) leave(125);
	int *sent = (int *)(control.bytes + 16);
	if (CALL(SYS_dup2, sent[0], MEMORY, 0) < 0 || CALL(SYS_dup2, sent[1], KILL, 0) < 0) leave(125);
	CALL(SYS_close, sent[0], 0, 0);
	CALL(SYS_close, sent[1], 0, 0);
}

static void share(u64 counters)
{
	u8 *all = (u8 *)real(SYS_mmap, 0, setup.size, 3, 1, MEMORY, 0);
	if ((i64)all < 0 && (i64)all > -PAGE) leave(125);
	input = (struct input *)(all + setup.input_at);
	if (setup.log_at) comparisons = (struct log *)(all + setup.log_at);
	/* The linker put the counters on pages of their own. */
	u64 pages = (counters + PAGE - 1) / PAGE * PAGE;
	if (counters && real(SYS_mmap, (i64)__start___sancov_cntrs, pages, 3, 0x11, MEMORY, 0) != (i64)__start___sancov_cntrs) leave(125);
	CALL(SYS_close, MEMORY, 0, 0);
}

int __wrap_main(int argc, char **argv, char **envp)
{
	if (CALL(SYS_dup2, 0, LINK, 0) < 0) leave(125);
	i64 null = CALL(SYS_open, "/dev/null", O_RDWR, 0);
	for (int i = 0; i < 3; ++i) CALL(SYS_dup2, null, i, 0);
	if (null > 2) CALL(SYS_close, null, 0, 0);
	u64 counters = __start___sancov_cntrs ? polypath_counters_end - __start___sancov_cntrs : 0;
	struct hello hello = { 0x505953525646555aul, counters, LLVMFuzzerTestOneInput != 0 };
	give(&hello, sizeof hello);
	receive();
	share(counters);
	if (setup.how == BY_CALL && LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);

	struct {
		void *handler;
		u64 flags;
		void *restorer;
		u64 mask;
	} action = { child_ended, 0x04000000, back, 0 };
	real(SYS_rt_sigaction, SIGCHLD, (i64)&action, 0, 8, 0, 0);
	u64 blocked = 1ul << (SIGCHLD - 1), none = 0;
	real(SYS_rt_sigprocmask, 0, (i64)&blocked, 0, 8, 0, 0);
	u8 ready = 1;
	give(&ready, 1);

	i64 child = 0;
	/* The execution that the child was told to end in, if it was. */
	u32 told = 0;
	for (;;) {
		/* With a child that lives we wait for its end, or for the word to end it; the link is the child's. */
		struct poll polled[2] = { { KILL, 1, 0 }, { LINK, 1, 0 } };
		real(SYS_ppoll, (i64)polled, child ? 1 : 2, 0, (i64)&none, 8, 0);
		if (polled[0].revents) {
			/* The word to end an execution has its number: that one may have ended by itself meanwhile. */
			u32 serial;
			i64 heard = CALL(SYS_read, KILL, &serial, sizeof serial);
			if (child && (heard != sizeof serial || serial == input->serial)) {
				told = serial;
				end(child);
			}
			if (heard != sizeof serial) leave(0);
		}
		int status;
		while (child) {
			i64 pid = real(SYS_wait4, -1, (i64)&status, 1, 0, 0, 0);
			if (pid <= 0) break;
			if (pid != child) continue;
			/* Whatever it has started ends with it. */
			end(child);
			child = 0;
			int signal = status & 0x7f, code = status >> 8 & 0xff;
			u32 ran = __atomic_exchange_n(&input->runs, 0, __ATOMIC_SEQ_CST);
			if (ran || told) {
				struct reply reply = { signal ? KILLED : ENDED, signal ? signal : code, input->serial, 0 };
				/* It went on to the next one just then: that has to run again. */
				if (told && told != input->serial && ran) reply.kind = BROKEN;
				else if (told) reply.serial = told;
				told = 0;
				give(&reply, sizeof reply);
			} else if (status == 125 << 8) {
				leave(125);
			}
		}
		if (child || !polled[1].revents) continue;
		/* The C library's own: its number of the process is the child's. */
		child = _Fork();
		if (child < 0) leave(124);
		if (child) continue;
		CALL(SYS_setsid, 0, 0, 0);
		CALL(SYS_close, KILL, 0, 0);
		action.handler = 0;
		real(SYS_rt_sigaction, SIGCHLD, (i64)&action, 0, 8, 0, 0);
		real(SYS_rt_sigprocmask, 2, (i64)&none, 0, 8, 0, 0);
		if (setup.address_space) limit(9, setup.address_space);
		if (setup.how == BY_CALL) call_target();
		take();
		if (setup.how == BY_FILE) make_file();
		if (setup.how == BY_STDIN) make_stdin();
		begin();
		/* A program must not write to the link. */
		CALL(SYS_close, LINK, 0, 0);
		return __real_main(argc, argv, envp);
	}
}
