/* The intrinsics of klee/klee.h in a native binary: a replay of one test.
 *
 * KTEST_FILE names a .ktest file. Each klee_make_symbolic takes the next object of that file whose
 * name fits; objects of the environment (arguments, files) are skipped over. Without KTEST_FILE
 * every symbolic object is zero, so that the binary also runs on its own, as in a build step.
 *
 * Exit statuses are above those that programs use: 85 a klee_assume that does not hold, 86 a test
 * that does not fit the program. Errors abort, as in a plain program. */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <klee/klee.h>

enum { ASSUMPTION_FAILED = 85, TEST_DOES_NOT_FIT = 86 };

struct object {
    char *name;
    unsigned size;
    unsigned char *bytes;
    int used;
};

static struct {
    int loaded;
    unsigned count;
    struct object *objects;
} test;

static _Noreturn void misfit(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("polypath replay: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    _exit(TEST_DOES_NOT_FIT);
}

static unsigned word(FILE *file, const char *path)
{
    unsigned char b[4];
    if (fread(b, 1, 4, file) != 4) misfit("%s is cut short", path);
    return (unsigned)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
}

static char *counted(FILE *file, const char *path, unsigned *size)
{
    *size = word(file, path);
    if (*size > 1u << 30) misfit("%s is not a test file", path);
    char *bytes = calloc(1, (size_t)*size + 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size) misfit("%s is cut short", path);
    return bytes;
}

static void load(void)
{
    if (test.loaded) return;
    test.loaded = 1;
    const char *path = getenv("KTEST_FILE");
    if (!path) return;
    FILE *file = fopen(path, "rb");
    if (!file) misfit("%s: %s", path, strerror(errno));
    char magic[5];
    if (fread(magic, 1, 5, file) != 5 || (memcmp(magic, "KTEST", 5) && memcmp(magic, "BOUT\n", 5)))
        misfit("%s is not a test file", path);
    unsigned version = word(file, path), size;
    if (version > 4) misfit("%s: version %u is not known", path, version);
    for (unsigned n = word(file, path); n > 0; n--) free(counted(file, path, &size));
    if (version >= 2) word(file, path), word(file, path);
    test.count = word(file, path);
    if (test.count > 1u << 24) misfit("%s is not a test file", path);
    test.objects = calloc(test.count, sizeof *test.objects);
    for (unsigned i = 0; i < test.count; i++) {
        test.objects[i].name = counted(file, path, &size);
        test.objects[i].bytes = (unsigned char *)counted(file, path, &test.objects[i].size);
    }
    fclose(file);
}

/* Bytes of a name at most; the machine looks at no more either. */
enum { LONGEST = 4096 };

/* What stands behind `wanted` in `name`, if it begins so. */
static const char *behind(const char *name, const char *wanted)
{
    size_t length = strnlen(wanted, LONGEST);
    return strncmp(name, wanted, length) ? 0 : name + length;
}

/* "x" fits objects "x" and, as names are made unique in a test, "x_1", "x_2", ... */
static int fits(const char *name, const char *wanted)
{
    const char *rest = behind(name, wanted);
    if (!rest) return 0;
    if (!*rest) return 1;
    return *rest == '_' && rest[1] && strspn(rest + 1, "0123456789") == strlen(rest + 1);
}

/* Who else may have the objects: modelled replay does. */
__attribute__((weak)) void __polypath_object(void *addr, size_t nbytes, const char *name);

static int is_replay(void) { return __polypath_object || getenv("KTEST_FILE"); }

void klee_make_symbolic(void *addr, size_t nbytes, const char *name)
{
    if (!name || !*name) name = "unnamed";
    if (__polypath_object) {
        __polypath_object(addr, nbytes, name);
        return;
    }
    load();
    if (!is_replay()) {
        memset(addr, 0, nbytes);
        return;
    }
    for (unsigned i = 0; i < test.count; i++) {
        struct object *object = &test.objects[i];
        if (object->used || !fits(object->name, name)) continue;
        if (object->size != nbytes) misfit("object %s has %u bytes in the test, %zu in the program", name, object->size, nbytes);
        object->used = 1;
        memcpy(addr, object->bytes, nbytes);
        return;
    }
    misfit("the test has no further object %s", name);
}

int klee_range(int begin, int end, const char *name)
{
    int x;
    if (begin >= end) misfit("klee_range(%d, %d): empty range", begin, end);
    klee_make_symbolic(&x, sizeof x, name);
    if (!is_replay()) return begin;
    if (x < begin || x >= end) misfit("object %s is %d, outside [%d, %d)", name, x, begin, end);
    return x;
}

int klee_int(const char *name)
{
    int x;
    klee_make_symbolic(&x, sizeof x, name);
    return x;
}

uintptr_t klee_choose(uintptr_t n)
{
    uintptr_t x;
    klee_make_symbolic(&x, sizeof x, "klee_choose");
    if (x >= n) misfit("klee_choose: %lu, not below %lu", (unsigned long)x, (unsigned long)n);
    return x;
}

void klee_assume(uintptr_t condition)
{
    if (condition) return;
    fflush(NULL);
    fputs("polypath replay: an assumption of the program does not hold for this input\n", stderr);
    _exit(ASSUMPTION_FAILED);
}

void klee_silent_exit(int status) { exit(status); }
void klee_abort(void) { abort(); }

void klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
    fflush(NULL);
    fprintf(stderr, "%s:%d: %s [%s]\n", file, line, message, suffix);
    abort();
}

unsigned klee_is_symbolic(uintptr_t n) { return 0; }
unsigned klee_is_replay(void) { return 1; }
void polypath_defer(void) {}
void polypath_grows(void) {}
void polypath_made(void) {}
unsigned polypath_none_made(void) { return 1; }

char *polypath_text(char *text)
{
    char *exact = realloc(text, strlen(text) + 1);
    return exact ? exact : text;
}

void klee_prefer_cex(void *object, uintptr_t condition) {}
void klee_posix_prefer_cex(void *object, uintptr_t condition) {}
void klee_mark_global(void *object) {}
void klee_define_fixed_object(void *addr, size_t nbytes) {}
void klee_check_memory_access(const void *address, size_t size) {}
void klee_set_forking(unsigned enable) {}
void klee_alias_function(const char *function, const char *alias) {}
void klee_stack_trace(void) {}
void klee_open_merge(void) {}
void klee_close_merge(void) {}
void klee_print_expr(const char *message, ...) { fprintf(stderr, "%s\n", message); }
void klee_warning(const char *message) { fprintf(stderr, "warning: %s\n", message); }
void klee_warning_once(const char *message) { klee_warning(message); }
int klee_get_errno(void) { return errno; }
float klee_get_valuef(float expr) { return expr; }
double klee_get_valued(double expr) { return expr; }
long klee_get_valuel(long expr) { return expr; }
long long klee_get_valuell(long long expr) { return expr; }
int32_t klee_get_value_i32(int32_t expr) { return expr; }
int64_t klee_get_value_i64(int64_t expr) { return expr; }

size_t klee_get_obj_size(void *ptr)
{
    (void)ptr;
    misfit("klee_get_obj_size has no answer in a native run");
}
