/* The run time of address checks: what LLVM's asan pass calls, for static musl binaries.
 *
 * The whole program, libc included, is instrumented, with a call before each access. Shadow memory
 * is laid out as the pass expects it: one byte per 8, at 0x7fff8000; 0 = all eight addressable,
 * 1–7 = that many, 0x80… = none, for the reason that the value names. Memory is never reused (a
 * test is short), so a use after free is always seen. Frames of functions live on a fake stack for
 * use after return.
 *
 * The first error ends the program: one line on stderr, "polypath-check: CLASS: details", exit 99.
 *
 * Freestanding: runs before libc is set up (it is the program's entry point) and calls nothing. */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

#define SHADOW 0x7fff8000ul
#define TOP (1ul << 47)
/* ir::layout::NULL_END */
#define NULL_END 0x10000ul
#define CALLER ((u64)__builtin_return_address(0))
#define EXPORT __attribute__((used, visibility("default")))

enum { SYS_read = 0, SYS_write = 1, SYS_mmap = 9, SYS_pread = 17, SYS_pwrite = 18, SYS_readv = 19,
       SYS_writev = 20, SYS_exit_group = 231 };
enum { HEAP_LEFT = 0xfa, HEAP_FREED = 0xfd, GLOBAL = 0xf9, STACK_LEFT = 0xf1, STACK_MID = 0xf2,
       STACK_RIGHT = 0xf3, STACK_RETURNED = 0xf5, STACK_SCOPE = 0xf8, ALLOCA_LEFT = 0xca,
       ALLOCA_RIGHT = 0xcb };

static i64 call6(i64 n, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f)
{
	i64 result;
	register i64 r10 __asm__("r10") = d;
	register i64 r8 __asm__("r8") = e;
	register i64 r9 __asm__("r9") = f;
	__asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
	                 : "rcx", "r11", "memory");
	return result;
}

/* ---- words ---------------------------------------------------------------------------------- */

static char line[512];
static u32 used;

static void say(const char *text)
{
	while (*text && used < sizeof line - 1) line[used++] = *text++;
}

static void say_number(u64 n, u32 base)
{
	char digits[32];
	u32 i = sizeof digits;
	digits[--i] = 0;
	do digits[--i] = "0123456789abcdef"[n % base];
	while (n /= base);
	if (base == 16) say("0x");
	say(digits + i);
}

static _Noreturn void finish(u64 pc)
{
	say(" (pc ");
	say_number(pc, 16);
	say(")\n");
	call6(SYS_write, 2, (i64)line, used, 0, 0, 0);
	for (;;) call6(SYS_exit_group, 99, 0, 0, 0, 0, 0);
}

static void begin(const char *class)
{
	say("polypath-check: ");
	say(class);
	say(": ");
}

/* ---- shadow --------------------------------------------------------------------------------- */

static u8 *shadow(u64 address) { return (u8 *)((address >> 3) + SHADOW); }

static void fill(u8 *at, u8 value, u64 count)
{
	__asm__ volatile("rep stosb" : "+D"(at), "+c"(count) : "a"(value) : "memory");
}

/* Both ends at multiples of 8. */
static void poison(u64 address, u64 size, u8 value) { fill(shadow(address), value, size >> 3); }

/* Starts at a multiple of 8. */
static void unpoison(u64 address, u64 size)
{
	fill(shadow(address), 0, size >> 3);
	if (size & 7) *shadow(address + size) = size & 7;
}

/* ---- memory that was never written ----------------------------------------------------------- */

/* One bit for each byte: never written. Only the heap and variables begin so. Reads are told, not stopped, each
 * place once: what is copied may never matter. */
static u8 *unset;

static void set_unset(u64 address, u64 size, int value)
{
	if (!unset) return;
	u64 end = address + size;
	for (; address < end && address & 7; address++)
		unset[address >> 3] = (unset[address >> 3] & ~(1 << (address & 7))) | value << (address & 7);
	if (address >= end) return;
	fill(unset + (address >> 3), value ? 0xff : 0, (end - address) >> 3);
	for (address = end & -8ul; address < end; address++)
		unset[address >> 3] = (unset[address >> 3] & ~(1 << (address & 7))) | value << (address & 7);
}

static int is_unset(u64 address) { return unset[address >> 3] >> (address & 7) & 1; }

static void tell_unset(u64 address, u64 size, u64 pc)
{
	enum { PLACES = 1024 };
	static u64 told[PLACES];
	u64 i = pc % PLACES;
	for (u32 tries = 0; tries < 32 && told[i]; tries++, i = (i + 1) % PLACES)
		if (told[i] == pc) return;
	told[i] = pc;
	used = 0;
	begin("uninitialized-read");
	say("of ");
	say_number(size, 10);
	say(" bytes at ");
	say_number(address, 16);
	say(" (pc ");
	say_number(pc, 16);
	say(")\n");
	call6(SYS_write, 2, (i64)line, used, 0, 0, 0);
	used = 0;
}

static void track(u64 address, u64 size, int write, u64 pc)
{
	if (!unset) return;
	if (write) {
		set_unset(address, size, 0);
		return;
	}
	for (u64 i = 0; i < size; i++)
		if (is_unset(address + i)) {
			tell_unset(address, size, pc);
			return;
		}
}

/* Forward or backward, as the bytes go. */
static void copy_unset(u64 to, u64 from, u64 n)
{
	if (!unset) return;
	for (u64 k = 0; k < n; k++) {
		u64 i = to - from < n ? n - 1 - k : k;
		set_unset(to + i, 1, is_unset(from + i));
	}
}

/* ---- heap ----------------------------------------------------------------------------------- */

struct chunk {
	u64 magic, size, previous;
	/* Which operator of C++ allocated it: NEW, NEW_ARRAY, plus ALIGNED times an alignment; 0: malloc and its like. */
	u32 state, how;
};

enum { MAGIC = 0x506f6c79, LIVE = 1, FREED = 2, REACHED = 3 };
enum { NEW = 1, NEW_ARRAY = 2, ALIGNED = 4 };

#define ARENA (1ul << 36)
static u64 arena, arena_end, arena_at;
/* The latest object, complemented: the leak check must not take it for a pointer. */
static u64 latest = ~0ul;

static u64 reserve(u64 at, u64 size)
{
	/* PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, MAP_FIXED_NOREPLACE */
	u64 got = call6(SYS_mmap, at, size, 3, 0x4022 | (at ? 0x100000 : 0), -1, 0);
	if (got > -4096ul || (at && got != at)) {
		begin("set-up");
		say("cannot reserve address space");
		finish(0);
	}
	return got;
}

static struct chunk *header(u64 user) { return (struct chunk *)user - 1; }

static u64 allocate(u64 align, u64 size)
{
	u64 zone = size < 32 ? 32 : size > 2048 ? 2048 : size + 15 & -16ul;
	if (align < 16) align = 16;
	if (size > ARENA / 4) return 0;
	u64 user = arena_at + zone + sizeof(struct chunk) + align - 1 & -align;
	u64 end = (user + size + 15 & -16ul) + zone;
	if (end > arena_end) return 0;
	poison(arena_at, end - arena_at, HEAP_LEFT);
	unpoison(user, size);
	set_unset(user, size, 1);
	*header(user) = (struct chunk){ MAGIC, size, ~latest, LIVE, 0 };
	latest = ~user;
	arena_at = end;
	return user;
}

/* The object at or before an address in the arena; 0 if there is none. */
static u64 nearest(u64 address)
{
	u64 user = ~latest;
	while (user > address) user = header(user)->previous;
	return user;
}

static void describe(u64 address)
{
	if (address < arena || address >= arena_end) return;
	u64 user = nearest(address), size;
	if (!user) return;
	size = header(user)->size;
	if (address >= user + size) {
		say("; ");
		say_number(address - user - size, 10);
		say(" bytes after");
	} else {
		say("; ");
		say_number(address - user, 10);
		say(" bytes into");
	}
	say(" a heap object of ");
	say_number(size, 10);
	say(" bytes");
}

/* ---- checks --------------------------------------------------------------------------------- */

static int is_bad(u64 address)
{
	signed char k = *(signed char *)shadow(address);
	return k && (k < 0 || (i64)(address & 7) >= k);
}

static const char *class_of(u64 address)
{
	u8 k = *shadow(address);
	if (k && k < 8) k = *shadow(address + 8);
	switch (k) {
	case HEAP_FREED: return "heap-use-after-free";
	case STACK_LEFT: case STACK_MID: case STACK_RIGHT: case ALLOCA_LEFT: case ALLOCA_RIGHT:
		return "stack-buffer-overflow";
	case STACK_RETURNED: return "stack-use-after-return";
	case STACK_SCOPE: return "stack-use-after-scope";
	case GLOBAL: return "global-buffer-overflow";
	case HEAP_LEFT: return "heap-buffer-overflow";
	}
	return address >= arena && address < arena_end ? "heap-buffer-overflow" : "stack-buffer-overflow";
}

static _Noreturn void bad_access(const char *class, u64 bad, u64 size, int write, u64 pc)
{
	begin(class);
	say(write ? "write of " : "read of ");
	say_number(size, 10);
	say(" bytes at ");
	say_number(bad, 16);
	describe(bad);
	finish(pc);
}

static void check_address(u64 address, u64 size, int write, u64 pc)
{
	if (!size) return;
	u64 end = address + size;
	if (address < NULL_END) bad_access("null-access", address, size, write, pc);
	if (end < address || end > TOP) bad_access("wild-access", address, size, write, pc);
	if (address >= arena && address < arena_end && end > arena_at)
		bad_access("heap-buffer-overflow", address, size, write, pc);
	/* The first and last byte decide whether a granule is addressable as far as it is used. */
	if (is_bad(address)) bad_access(class_of(address), address, size, write, pc);
	for (u64 at = address | 7; at < end; at += 8)
		if (at >= address && is_bad(at)) bad_access(class_of(at & -8ul), at, size, write, pc);
	if (is_bad(end - 1)) {
		u64 bad = end - 1;
		while (bad > address && is_bad(bad - 1)) bad--;
		bad_access(class_of(bad), bad, size, write, pc);
	}
}

static void check(u64 address, u64 size, int write, u64 pc)
{
	check_address(address, size, write, pc);
	track(address, size, write, pc);
}

/* An access through a pointer that was made from another (src/derived.rs): between two objects some byte is not
 * addressable. */
EXPORT void __polypath_same_object(u64 base, u64 at)
{
	if (base < NULL_END || base >= TOP || at < NULL_END || at >= TOP || is_bad(at)) return;
	/* A pointer behind the last byte still belongs to the object; of a dangling one nothing is known. */
	if (is_bad(base) && is_bad(--base)) return;
	u64 low = base < at ? base : at, high = base < at ? at : base;
	for (u8 *s = shadow(low); s < shadow(high); s++) {
		if (!*s) continue;
		begin("out-of-object");
		say("access at ");
		say_number(at, 16);
		describe(at);
		say(" through a pointer into the object at ");
		say_number(base, 16);
		finish(CALLER);
	}
}

#define ACCESS(N)                                                                                   \
	EXPORT void __asan_load##N(u64 a) { check(a, N, 0, CALLER); }                                    \
	EXPORT void __asan_store##N(u64 a) { check(a, N, 1, CALLER); }                                   \
	EXPORT void __asan_report_load##N(u64 a) { bad_access(class_of(a), a, N, 0, CALLER); }           \
	EXPORT void __asan_report_store##N(u64 a) { bad_access(class_of(a), a, N, 1, CALLER); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
EXPORT void __asan_loadN(u64 a, u64 n) { check(a, n, 0, CALLER); }
EXPORT void __asan_storeN(u64 a, u64 n) { check(a, n, 1, CALLER); }
EXPORT void __asan_report_load_n(u64 a, u64 n) { bad_access(class_of(a), a, n, 0, CALLER); }
EXPORT void __asan_report_store_n(u64 a, u64 n) { bad_access(class_of(a), a, n, 1, CALLER); }

/* ---- memory and string operations (of the engine's, hence without bitcode) ------------------ */

static void *copy(void *to, const void *from, u64 n)
{
	u64 d = (u64)to, s = (u64)from;
	if (d - s < n) {
		while (n--) ((u8 *)to)[n] = ((const u8 *)from)[n];
	} else {
		__asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
	}
	return to;
}

static void *checked_copy(void *to, const void *from, u64 n, u64 pc)
{
	check_address((u64)from, n, 0, pc);
	check_address((u64)to, n, 1, pc);
	copy_unset((u64)to, (u64)from, n);
	return copy(to, from, n);
}

static void *checked_set(void *to, int value, u64 n, u64 pc)
{
	check((u64)to, n, 1, pc);
	fill(to, value, n);
	return to;
}

EXPORT void *__asan_memcpy(void *to, const void *from, u64 n) { return checked_copy(to, from, n, CALLER); }
EXPORT void *__asan_memmove(void *to, const void *from, u64 n) { return checked_copy(to, from, n, CALLER); }
EXPORT void *__asan_memset(void *to, int c, u64 n) { return checked_set(to, c, n, CALLER); }
EXPORT void *memcpy(void *to, const void *from, u64 n) { return checked_copy(to, from, n, CALLER); }
EXPORT void *memmove(void *to, const void *from, u64 n) { return checked_copy(to, from, n, CALLER); }
EXPORT void *memset(void *to, int c, u64 n) { return checked_set(to, c, n, CALLER); }

EXPORT int memcmp(const u8 *a, const u8 *b, u64 n)
{
	for (u64 i = 0; i < n; i++) {
		check((u64)a + i, 1, 0, CALLER);
		check((u64)b + i, 1, 0, CALLER);
		if (a[i] != b[i]) return a[i] - b[i];
	}
	return 0;
}

EXPORT void *memchr(const u8 *p, int c, u64 n)
{
	for (; n--; p++) {
		check((u64)p, 1, 0, CALLER);
		if (*p == (u8)c) return (void *)p;
	}
	return 0;
}

EXPORT u64 strlen(const char *p)
{
	u64 n = 0;
	for (;; n++) {
		check((u64)p + n, 1, 0, CALLER);
		if (!p[n]) return n;
	}
}

/* ---- the malloc family ---------------------------------------------------------------------- */

static void *or_no_memory(u64 p)
{
	extern int *__errno_location(void);
	if (!p) *__errno_location() = 12;
	return (void *)p;
}

static struct chunk *chunk_at(u64 p)
{
	int is_one = p > arena && p < arena_at && !(p & 15) && nearest(p) == p && header(p)->magic == MAGIC;
	return is_one ? header(p) : 0;
}

static void say_how(u32 how, const char *function, const char *operator)
{
	say(how ? operator : function);
	if (how & NEW_ARRAY) say("[]");
	if (how < ALIGNED) return;
	say(" for an alignment of ");
	say_number(how / ALIGNED, 10);
}

static _Noreturn void mismatch(u64 p, u32 how, u64 pc)
{
	begin("alloc-dealloc-mismatch");
	say_how(header(p)->how, "malloc", "operator new");
	say(" and ");
	say_how(how, "free", "operator delete");
	describe(p);
	finish(pc);
}

static void release(u64 p, u64 pc)
{
	const char *class = "invalid-free";
	struct chunk *c = chunk_at(p);
	if (!p) return;
	if (c) {
		if (c->state != FREED) {
			if (c->how) mismatch(p, 0, pc);
			c->state = FREED;
			poison(p, (c->size ? c->size : 1) + 7 & -8ul, HEAP_FREED);
			return;
		}
		class = "double-free";
	}
	begin(class);
	say("of ");
	say_number(p, 16);
	describe(p);
	finish(pc);
}

static u32 how_of(int is_array, u64 alignment) { return (is_array ? NEW_ARRAY : NEW) + ALIGNED * (u32)(alignment > 1 ? alignment : 0); }

/* Of runtime/rt/cxx.c. */
EXPORT void __polypath_new(void *p, int is_array, u64 alignment) { header((u64)p)->how = how_of(is_array, alignment); }

EXPORT void __polypath_delete(void *p, int is_array, u64 size, u64 alignment)
{
	struct chunk *c = chunk_at((u64)p);
	if (!c || c->state == FREED) return;
	if (c->how != how_of(is_array, alignment)) mismatch((u64)p, how_of(is_array, alignment), CALLER);
	if (size && size != c->size) {
		begin("new-delete-type-mismatch");
		say("operator delete for an object of ");
		say_number(size, 10);
		say(" bytes");
		describe((u64)p);
		finish(CALLER);
	}
	c->how = 0;
}

EXPORT void *malloc(u64 size) { return or_no_memory(allocate(16, size)); }
EXPORT void free(void *p) { release((u64)p, CALLER); }

EXPORT void *calloc(u64 count, u64 size)
{
	u64 bytes;
	if (__builtin_mul_overflow(count, size, &bytes)) return or_no_memory(0);
	u64 p = allocate(16, bytes);
	if (p) set_unset(p, bytes, 0);
	return or_no_memory(p);
}

EXPORT void *realloc(void *p, u64 size)
{
	if (!p) return or_no_memory(allocate(16, size));
	u64 q = allocate(16, size);
	if (!q) return or_no_memory(0);
	u64 old = nearest((u64)p) == (u64)p && (u64)p > arena ? header((u64)p)->size : 0;
	/* A bad pointer is reported before anything is copied from it. */
	int live = old && header((u64)p)->state != FREED;
	if (live) {
		copy_unset(q, (u64)p, old < size ? old : size);
		copy((void *)q, p, old < size ? old : size);
	}
	release((u64)p, CALLER);
	return (void *)q;
}

EXPORT void *memalign(u64 align, u64 size) { return or_no_memory(allocate(align, size)); }
EXPORT void *aligned_alloc(u64 align, u64 size) { return or_no_memory(allocate(align, size)); }

EXPORT int posix_memalign(void **result, u64 align, u64 size)
{
	u64 p = allocate(align, size);
	if (!p) return 12;
	*result = (void *)p;
	return 0;
}

EXPORT u64 malloc_usable_size(void *p) { return p ? header((u64)p)->size : 0; }

/* ---- globals -------------------------------------------------------------------------------- */

struct global {
	u64 begin, size, size_with_zone;
	const char *name, *module;
	u64 dynamic_init, location, odr;
};

EXPORT void __asan_register_globals(struct global *g, u64 n)
{
	for (; n--; g++) {
		u64 whole = g->size + 7 & -8ul;
		poison(g->begin + whole, g->size_with_zone - whole, GLOBAL);
		if (g->size & 7) *shadow(g->begin + g->size) = g->size & 7;
	}
}

EXPORT void __asan_register_elf_globals(u64 *done, struct global *start, struct global *stop)
{
	if (*done || start == stop) return;
	*done = 1;
	__asan_register_globals(start, stop - start);
}

/* Destructors run at the exit, where globals may still be used: they stay registered. */
EXPORT void __asan_unregister_globals(struct global *g, u64 n) { (void)g, (void)n; }
EXPORT void __asan_unregister_elf_globals(u64 *done, struct global *a, struct global *b) { (void)done, (void)a, (void)b; }
EXPORT void __asan_before_dynamic_init(const char *module) { (void)module; }
EXPORT void __asan_after_dynamic_init(void) {}
EXPORT void __asan_version_mismatch_check_v8(void) {}
EXPORT void __asan_init(void) {}

/* ---- stack ---------------------------------------------------------------------------------- */

static u64 stack_top;

EXPORT void __asan_handle_no_return(void)
{
	u64 here = (u64)__builtin_frame_address(0) & -8ul;
	if (here < stack_top && stack_top - here < 64ul << 20) unpoison(here, stack_top - here);
}

#define SHADOW_SETTER(V) EXPORT void __asan_set_shadow_##V(u64 at, u64 n) { fill((u8 *)at, 0x##V, n); }
SHADOW_SETTER(00)
SHADOW_SETTER(01)
SHADOW_SETTER(02)
SHADOW_SETTER(03)
SHADOW_SETTER(04)
SHADOW_SETTER(05)
SHADOW_SETTER(06)
SHADOW_SETTER(07)
SHADOW_SETTER(f1)
SHADOW_SETTER(f2)
SHADOW_SETTER(f3)
SHADOW_SETTER(f5)
SHADOW_SETTER(f8)

EXPORT void __asan_poison_stack_memory(u64 at, u64 n) { poison(at, n + 7 & -8ul, STACK_SCOPE); }
EXPORT void __asan_unpoison_stack_memory(u64 at, u64 n) { unpoison(at, n); }

EXPORT void __asan_alloca_poison(u64 at, u64 size)
{
	u64 end = at + size, zone = (end + 31 & -32ul) + 32;
	poison(at - 32, 32, ALLOCA_LEFT);
	u64 whole = end + 7 & -8ul;
	poison(whole, zone - whole, ALLOCA_RIGHT);
	if (end & 7) *shadow(end) = end & 7;
}

EXPORT void __asan_allocas_unpoison(u64 top, u64 bottom)
{
	if (top && top <= bottom) fill(shadow(top), 0, (bottom - top) >> 3);
}

/* Frames of 64 << class bytes, taken in turn; the last word of a frame points at its flag, which
 * the instrumented function clears when it returns. Without a free frame the real stack is used. */
enum { CLASSES = 11 };
#define REGION (1ul << 20)
static u64 frames;
static u32 next_frame[CLASSES];
/* Some frame had to go to the real stack. */
static int overflowed;
static u8 flags[CLASSES][REGION / 64];

static u64 take_frame(u32 class)
{
	u64 bytes = 64ul << class;
	u32 count = REGION / bytes;
	for (u32 tries = 0; tries < count; tries++) {
		u32 i = next_frame[class]++ % count;
		if (flags[class][i]) continue;
		u64 frame = frames + class * REGION + i * bytes;
		flags[class][i] = 1;
		*(u64 *)(frame + bytes - 8) = (u64)&flags[class][i];
		unpoison(frame, bytes);
		set_unset(frame, bytes, 1);
		return frame;
	}
	overflowed = 1;
	return 0;
}

static void give_frame(u64 frame, u32 class)
{
	u64 bytes = 64ul << class;
	**(u8 **)(frame + bytes - 8) = 0;
	poison(frame, bytes, STACK_RETURNED);
}

EXPORT int __asan_option_detect_stack_use_after_return = 1;
#define FRAME(N)                                                                                    \
	EXPORT u64 __asan_stack_malloc_##N(u64 size) { (void)size; return take_frame(N); }                     \
	EXPORT u64 __asan_stack_malloc_always_##N(u64 size) { (void)size; return take_frame(N); }              \
	EXPORT void __asan_stack_free_##N(u64 frame, u64 size) { (void)size; give_frame(frame, N); }
FRAME(0)
FRAME(1)
FRAME(2)
FRAME(3)
FRAME(4)
FRAME(5)
FRAME(6)
FRAME(7)
FRAME(8)
FRAME(9)
FRAME(10)

/* ---- leaks: what no pointer in globals, live variables or reached objects leads to ---------- */

static int check_leaks;

static void reach(u64 from, u64 to)
{
	for (from = from + 7 & -8ul; from + 8 <= to; from += 8) {
		u64 value = *(u64 *)from;
		if (value <= arena || value >= arena_at) continue;
		u64 user = nearest(value);
		if (user && value <= user + header(user)->size && header(user)->state == LIVE) header(user)->state = REACHED;
	}
}

static void find_leaks(void)
{
	struct elf { u8 ident[16]; u32 a[4]; u64 phoff, shoff; u32 flags; unsigned short ehsize, phentsize, phnum; };
	struct segment { u32 type, flags; u64 offset, address, physical, filesz, memsz, align; };
	extern struct elf __ehdr_start;
	struct segment *s = (struct segment *)((u8 *)&__ehdr_start + __ehdr_start.phoff);
	for (u32 i = 0; i < __ehdr_start.phnum; i++)
		/* PT_LOAD, writable */
		if (s[i].type == 1 && s[i].flags & 2) reach(s[i].address, s[i].address + s[i].memsz);
	/* All variables are on the fake stack; the real one is full of what was there before. */
	if (overflowed) reach((u64)__builtin_frame_address(0), stack_top);
	for (u32 class = 0; class < CLASSES; class++)
		for (u64 i = 0, bytes = 64ul << class; i < REGION / bytes; i++)
			if (flags[class][i]) reach(frames + class * REGION + i * bytes, frames + class * REGION + (i + 1) * bytes);
	/* Objects that lead to objects, until nothing changes (state 4: its contents were followed). */
	for (int again = 1; again;) {
		again = 0;
		for (u64 p = ~latest; p; p = header(p)->previous)
			if (header(p)->state == REACHED) {
				header(p)->state = 4;
				reach(p, p + header(p)->size);
				again = 1;
			}
	}
	for (u64 p = ~latest; p; p = header(p)->previous)
		if (header(p)->state == LIVE) {
			begin("leak");
			say("nothing points at");
			describe(p);
			finish(0);
		}
}

/* ---- system calls: buffers are checked as accesses ------------------------------------------ */

/* What the kernel may have written: of most calls not more than this, behind each address that it got. */
#define KERNEL_WRITES 512ul

static void kernel_wrote(const long *args)
{
	for (u32 i = 0; unset && i < 6; i++) {
		u64 at = args[i], n = 0;
		int tracked = (at >= arena && at < arena_at) || (at >= frames && at < frames + CLASSES * REGION);
		while (tracked && n < KERNEL_WRITES && !is_bad(at + n)) n++;
		set_unset(at, n, 0);
	}
}

static void check_vector(const u64 (*vector)[2], u64 n, int write, u64 pc)
{
	check_address((u64)vector, 16 * n, 0, pc);
	for (u64 i = 0; i < n && n <= 1024; i++) check_address(vector[i][0], vector[i][1], write, pc);
}

EXPORT long __polypath_syscall6(long n, long a, long b, long c, long d, long e, long f)
{
	/* The kernel itself answers EFAULT for what is not mapped at all. */
	int mapped = b >= 4096 && (u64)b < TOP && (u64)c < 1ul << 30;
	if (mapped && (n == SYS_read || n == SYS_pread)) {
		/* A buffer may be larger than what is read: only what was written counts. */
		long result = call6(n, a, b, c, d, e, f);
		if (result > 0) check(b, result, 1, CALLER);
		return result;
	}
	/* Writing what was never written is a read, but one that the kernel does. */
	if (mapped && (n == SYS_write || n == SYS_pwrite)) check_address(b, c, 0, CALLER);
	if (mapped && n == SYS_writev) check_vector((const u64(*)[2])b, c, 0, CALLER);
	if (n == SYS_exit_group && check_leaks && a != 99) find_leaks();
	long result = call6(n, a, b, c, d, e, f);
	if (n == SYS_readv && result > 0) {
		const u64 (*vector)[2] = (const u64(*)[2])b;
		for (u64 left = result; left > 0; vector++) {
			u64 part = (*vector)[1] < left ? (*vector)[1] : left;
			set_unset((*vector)[0], part, 0);
			left -= part;
		}
	} else {
		kernel_wrote((long[]){ a, b, c, d, e, f });
	}
	return result;
}

/* ---- entry ---------------------------------------------------------------------------------- */

static int begins(const char *text, const char *with)
{
	while (*with && *with == *text) with++, text++;
	return !*with;
}

EXPORT void polypath_address_boot(u64 *stack)
{
	u64 argc = stack[0];
	char **env = (char **)(stack + argc + 2);
	stack_top = (u64)stack;
	reserve(SHADOW, TOP >> 3);
	arena = arena_at = reserve(0, ARENA);
	arena_end = arena + ARENA;
	frames = reserve(0, CLASSES * REGION);
	for (; *env; env++) {
		if (begins(*env, "POLYPATH_CHECK_LEAKS=")) check_leaks = 1;
		if (begins(*env, "POLYPATH_CHECK_UNSET=")) unset = (u8 *)reserve(0, TOP >> 3);
	}
}

__asm__(".globl polypath_address_start\n"
        "polypath_address_start:\n"
        "	mov %rsp, %rbx\n"
        "	mov %rsp, %rdi\n"
        "	and $-16, %rsp\n"
        "	call polypath_address_boot\n"
        "	mov %rbx, %rsp\n"
        "	mov %rsp, %rdi\n"
        "	xor %ebp, %ebp\n"
        "	and $-16, %rsp\n"
        "	call _start_c\n");
