/* Modelled replay: the program's system calls are answered from a transcript, its coverage sites
 * update the path hash, and at its end the hash is compared. See src/transcript.rs for the format.
 *
 * Freestanding: linked into a static binary before libc.a, so that these definitions win. Memory
 * comes zeroed, as undefined values are zero in the machine too, and is never reused. */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

enum { FD_TRANSCRIPT = 1021, FD_RESULT = 1022 };
enum { FINISHED_SAME = 1, FINISHED_DIFFERENT, REACHED, WRONG_CALL, OUT_OF_CALLS, BAD_TRANSCRIPT };
enum { RETURN = 1, EXIT, KILL, DELIVER };
enum { SYS_mmap = 9, SYS_mprotect = 10, SYS_munmap = 11, SYS_brk = 12, SYS_rt_sigaction = 13,
       SYS_write = 1, SYS_fstat = 5, SYS_mremap = 25, SYS_madvise = 28, SYS_getpid = 39,
       SYS_arch_prctl = 158, SYS_set_tid_address = 218, SYS_exit_group = 231 };

/* ir::trace */
static u64 hash = 0x243F6A8885A308D3ul;
static u64 target;
static u32 complete;
static int ready;

static u8 *record, *end;
static u32 calls;

static u32 failed_count;
static u8 *failed;
static u64 allocations;

static struct { void (*handler)(int, void *, void *); } handlers[65];

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

static _Noreturn void leave(u32 kind, u32 expected, u32 seen, int status)
{
	u32 report[4] = { kind, calls, expected, seen };
	real(SYS_write, FD_RESULT, (i64)report, sizeof report, 0, 0, 0);
	for (;;) real(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

static u32 get32(const u8 *p) { return *(const u32 *)p; }
static u64 get64(const u8 *p) { return *(const u64 *)p; }

static void copy(u8 *to, const u8 *from, u64 n)
{
	while (n--) *to++ = *from++;
}

static u64 room(void) { return (u64)(end - record); }

static void prepare(void)
{
	ready = 1;
	u64 stat[18];
	if (real(SYS_fstat, FD_TRANSCRIPT, (i64)stat, 0, 0, 0, 0) < 0) leave(BAD_TRANSCRIPT, 0, 0, 1);
	u64 size = stat[6];
	/* PROT_READ, MAP_PRIVATE */
	record = (u8 *)real(SYS_mmap, 0, size, 1, 2, FD_TRANSCRIPT, 0);
	if ((u64)record > -4096ul || size < 24 || get32(record) != 0x52545050 || get32(record + 4) != 1)
		leave(BAD_TRANSCRIPT, 0, 0, 1);
	end = record + size;
	target = get64(record + 8);
	complete = get32(record + 16);
	failed_count = get32(record + 20);
	failed = record + 24;
	record += 24;
	if (failed_count > room() / 8) leave(BAD_TRANSCRIPT, 0, 0, 1);
	record += 8ul * failed_count;
	if (!complete && hash == target) leave(REACHED, 0, 0, 0);
}

void __polypath_site(int site)
{
	u64 h = (hash ^ (u32)site) * 0x9E3779B97F4A7C15ul;
	hash = h << 23 | h >> 41;
	if (!ready) prepare();
	if (!complete && hash == target) leave(REACHED, 0, 0, 0);
}

/* What the binary must do itself because it concerns its own address space. */
static i64 own(i64 n, i64 a, i64 b, i64 c, i64 d, i64 recorded)
{
	if (recorded < 0 && recorded > -4096) return recorded;
	switch (n) {
	case SYS_mmap: /* contents come from the transcript: MAP_PRIVATE | MAP_ANONYMOUS */
		return real(SYS_mmap, 0, b, c | 3, 0x22, -1, 0);
	case SYS_mremap: /* MREMAP_MAYMOVE, the new address is ours */
		return real(SYS_mremap, a, b, c, d & 1, 0, 0);
	case SYS_brk:
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_madvise:
	case SYS_arch_prctl:
		return real(n, a, b, c, d, 0, 0);
	}
	return recorded;
}

static void apply_writes(u32 count, const i64 *args, i64 result)
{
	while (count--) {
		if (room() < 24) leave(BAD_TRANSCRIPT, 0, 0, 1);
		u32 argument = get32(record), pointer = get32(record + 4);
		u64 offset = get64(record + 8), length = get64(record + 16);
		record += 24;
		if (argument > 6 || length > room()) leave(BAD_TRANSCRIPT, 0, 0, 1);
		u8 *base = (u8 *)(argument == 6 ? result : args[argument]);
		if (pointer) base = (u8 *)get64(base + pointer - 1);
		copy(base + offset, record, length);
		u64 padded = (length + 7) & -8ul;
		record += padded > room() ? room() : padded;
	}
}

long __polypath_syscall6(long n, long a, long b, long c, long d, long e, long f)
{
	if (!ready) prepare();
	i64 args[6] = { a, b, c, d, e, f };
	if (room() < 24) leave(OUT_OF_CALLS, 0, n, 1);
	u32 kind = get32(record), number = get32(record + 4), writes = get32(record + 20);
	i64 result = (i64)get64(record + 8);
	u32 signal = get32(record + 16);
	if (number != (u32)n) leave(WRONG_CALL, number, n, 1);
	record += 24;
	calls++;
	if (n == SYS_rt_sigaction && b && result == 0 && a > 0 && a < 65)
		handlers[a].handler = *(void (**)(int, void *, void *))b;
	result = own(n, a, b, c, d, result);
	apply_writes(writes, args, result);
	switch (kind) {
	case RETURN:
		return result;
	case EXIT:
		leave(hash == target ? FINISHED_SAME : FINISHED_DIFFERENT, 0, 0, (int)result);
	case KILL:
		leave(hash == target ? REACHED : FINISHED_DIFFERENT, 0, 0, 128 + signal);
	case DELIVER:
		/* Plain handlers; one that wants siginfo finds zeros. */
		if (signal < 65 && (u64)handlers[signal].handler > 1) {
			static u64 zero[128];
			handlers[signal].handler((int)signal, zero, zero);
		}
		return result;
	}
	leave(BAD_TRANSCRIPT, 0, 0, 1);
}

/* The malloc family: the engine's own operations there, hence ours here. */
static u8 *arena, *arena_end;

static int fails(void)
{
	if (!ready) prepare();
	u64 index = allocations++;
	for (u32 i = 0; i < failed_count; i++)
		if (get64(failed + 8ul * i) == index) return 1;
	return 0;
}

static void *take(u64 align, u64 size)
{
	enum { ARENA = 36 };
	if (!arena) {
		/* PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE */
		arena = (u8 *)real(SYS_mmap, 0, 1ul << ARENA, 3, 0x4022, -1, 0);
		if ((u64)arena > -4096ul) leave(BAD_TRANSCRIPT, 0, 0, 1);
		arena_end = arena + (1ul << ARENA);
	}
	if (align < 16) align = 16;
	if (size > 1ul << (ARENA - 1)) return 0;
	u8 *at = (u8 *)(((u64)arena + 16 + align - 1) & -align);
	u64 length = size ? size : 1;
	if (at + length > arena_end) return 0;
	((u64 *)at)[-1] = size;
	arena = at + ((length + 15) & -16ul);
	return at;
}

static void *no_memory(void)
{
	extern int *__errno_location(void);
	*__errno_location() = 12;
	return 0;
}

void *malloc(u64 size)
{
	void *p = fails() ? 0 : take(16, size);
	return p ? p : no_memory();
}

void *calloc(u64 count, u64 size)
{
	u64 bytes;
	int overflow = __builtin_mul_overflow(count, size, &bytes);
	void *p = fails() || overflow ? 0 : take(16, bytes);
	return p ? p : no_memory();
}

void free(void *p) { (void)p; }

void *realloc(void *p, u64 size)
{
	if (!p) return malloc(size);
	u64 old = ((u64 *)p)[-1];
	u8 *q = fails() ? 0 : take(16, size);
	if (!q) return no_memory();
	copy(q, p, old < size ? old : size);
	return q;
}

void *memalign(u64 align, u64 size)
{
	void *p = fails() ? 0 : take(align, size);
	return p ? p : no_memory();
}

void *aligned_alloc(u64 align, u64 size) { return memalign(align, size); }

int posix_memalign(void **result, u64 align, u64 size)
{
	void *p = fails() ? 0 : take(align, size);
	if (!p) return 12;
	*result = p;
	return 0;
}

u64 malloc_usable_size(void *p) { return p ? ((u64 *)p)[-1] : 0; }
