#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdint.h>

#pragma GCC diagnostic ignored "-Waddress-of-packed-member"

/* What the driver asks for: an input of the test, a condition on it, the end before the call. */
static void klee_make_symbolic(void *place, size_t size, const char *name);
__attribute__((unused)) static void klee_assume(uintptr_t holds);
__attribute__((unused, noreturn)) static void klee_silent_exit(int status);
__attribute__((unused)) static void polypath_defer(void) {}
__attribute__((unused)) static void polypath_grows(void) {}
__attribute__((unused)) static void polypath_made(void) {}
__attribute__((unused)) static unsigned polypath_none_made(void) { return 1; }
__attribute__((unused)) static void pp_expect(const void *actual, size_t size, char kind, const char *name);
__attribute__((unused)) static void *pp_malloc(size_t size);
__attribute__((unused)) static char *polypath_text(char *text);

/*** DRIVER ***/

/* ------------------------------------------------------------------------------------------------------------- the tests */

/* An input: its bytes; those behind the given ones are zero. */
struct pp_input {
    const char *name;
    size_t size, given;
    const char *bytes;
};

/* What shows an error in a program: a signal, or a check of a compiler; PP_NONE: none of them. */
enum pp_check { PP_SIGNAL, PP_ADDRESS, PP_UNDEFINED, PP_MEMORY, PP_NONE };

struct pp_test {
    const char *name;
    const struct pp_input *inputs;
    size_t count;
    int status, signal;    /* the predicted end, if there is no error */
    const char *error;     /* the error that was found, or null */
    const char *condition; /* it happens only if this can be, or null */
    const char *accepted;  /* why it is no failure, or null */
    enum pp_check shown_by;
};

/*** TABLE ***/

/* ------------------------------------------------------------------------------------------------------------ the runner */

#include <errno.h>
#include <ftw.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PP_SECONDS
#define PP_SECONDS 60 /* of a test at most */
#endif
#define PP_MEMORY_MOST (2048ul << 20) /* an allocation beyond it fails, as it did when the test was found */

enum { PP_PASSED = 0, PP_FAILED = 1, PP_SKIPPED = 77, PP_REPORTED = 99 };

/* How a child ended, for its parent. */
static struct pp_end {
    int is_unfit; /* the test does not fit the library any more */
    int is_other; /* another result than predicted */
} *pp_end;

static const struct pp_test *pp_now;
static unsigned char pp_used[PP_MOST_INPUTS];

__attribute__((noreturn)) static void pp_unfit(const char *why, const char *what)
{
    fflush(0);
    fprintf(stderr, "%s: %s%s\n", pp_now->name, why, what);
    pp_end->is_unfit = 1;
    _exit(PP_FAILED);
}

/* "x" fits inputs "x" and, as names are made unique in a test, "x_1", "x_2", ... */
static int pp_fits(const char *name, const char *wanted)
{
    size_t length = strlen(wanted);
    if (strncmp(name, wanted, length)) return 0;
    name += length;
    return !*name || (*name == '_' && name[1] && strspn(name + 1, "0123456789") == strlen(name + 1));
}

static void klee_make_symbolic(void *place, size_t size, const char *name)
{
    /* What no test says: a library that was mended goes on where it failed, and asks for more. */
    memset(place, 0, size);
    for (size_t i = 0; i < pp_now->count; i++) {
        const struct pp_input *input = &pp_now->inputs[i];
        if (pp_used[i] || !pp_fits(input->name, name)) continue;
        if (input->size != size) pp_unfit("the library asks for another size of the input ", name);
        pp_used[i] = 1;
        memcpy(place, input->bytes, input->given);
        return;
    }
}

static int pp_is_same(const unsigned char *there, const struct pp_input *input, char kind)
{
    unsigned char predicted[16] = {0};
    float single[2];
    double number[2];
    memcpy(predicted, input->bytes, input->given);
    if (!memcmp(there, predicted, input->size)) return 1;
    if (kind != 'f') return 0;
    /* All that are no number are the same, and so are both zeros. */
    if (input->size == sizeof *single) {
        memcpy(single, there, sizeof *single), memcpy(single + 1, predicted, sizeof *single);
        return single[0] == single[1] || (single[0] != single[0] && single[1] != single[1]);
    }
    memcpy(number, there, sizeof *number), memcpy(number + 1, predicted, sizeof *number);
    return number[0] == number[1] || (number[0] != number[0] && number[1] != number[1]);
}

/* A value as the debugger shows it: its bytes, the highest first. */
static void pp_show(const char *what, const unsigned char *bytes, size_t given, size_t size)
{
    fprintf(stderr, "%s0x", what);
    for (size_t i = size; i-- > 0;) fprintf(stderr, "%02x", i < given ? bytes[i] : 0);
}

static void pp_expect(const void *actual, size_t size, char kind, const char *name)
{
    for (size_t i = 0; i < pp_now->count; i++) {
        const struct pp_input *input = &pp_now->inputs[i];
        if (pp_used[i] || !pp_fits(input->name, name)) continue;
        if (input->size != size || size > 16) pp_unfit("of another size now: ", name);
        pp_used[i] = 1;
        if (pp_is_same(actual, input, kind)) return;
        fflush(0);
        fprintf(stderr, "%s: %s: ", pp_now->name, name);
        pp_show("", actual, size, size);
        pp_show(", and predicted was ", (const unsigned char *)input->bytes, input->given, size);
        fputs("\n", stderr);
        pp_end->is_other = 1;
        _exit(PP_FAILED);
    }
    /* The test showed an error before there was a result: nothing is known of that. */
}

static void klee_assume(uintptr_t holds)
{
    if (!holds) pp_unfit("what the driver assumes of its objects does not hold", "");
}

static void klee_silent_exit(int status) { exit(status); }

/* The sanitizers of the compiler, if the program has any. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    /* The driver keeps its objects. Memory that nobody has written is zero, as it was when the test was found. */
    return "detect_leaks=0:exitcode=99:allocator_may_return_null=1:max_allocation_size_mb=2048:"
           "max_malloc_fill_size=1073741824:malloc_fill_byte=0";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) { return "halt_on_error=1:print_stacktrace=1:exitcode=99"; }
const char *__msan_default_options(void);
const char *__msan_default_options(void) { return "exit_code=99:allocator_may_return_null=1"; }

extern void __asan_init(void) __attribute__((weak));
extern void __asan_poison_memory_region(void *, size_t) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));
extern void __ubsan_handle_shift_out_of_bounds(void *, void *, void *) __attribute__((weak));

/* An object without bytes has none that may be read, which the address sanitizer does not know by itself. */
static void *pp_malloc(size_t size)
{
    void *object = malloc(size);
    if (!size && object && __asan_poison_memory_region) __asan_poison_memory_region(object, 1);
    return object;
}

static char *polypath_text(char *text)
{
    char *exact = realloc(text, strlen(text) + 1);
    return exact ? exact : text;
}

/* Would the error have been seen? */
static int pp_is_checked(enum pp_check check)
{
    switch (check) {
    case PP_SIGNAL: return 1;
    case PP_ADDRESS: return __asan_init != 0;
    case PP_MEMORY: return __msan_init != 0;
    case PP_NONE: return 0;
    case PP_UNDEFINED: break;
    }
#ifdef __clang__
    return __has_feature(undefined_behavior_sanitizer);
#else
    return __ubsan_handle_shift_out_of_bounds != 0;
#endif
}

static const char *pp_needs(enum pp_check check)
{
    switch (check) {
    case PP_ADDRESS: return "it shows under -fsanitize=address, of the library, too";
    case PP_UNDEFINED: return "it shows under -fsanitize=undefined, of the library, too";
    case PP_MEMORY: return "it shows under -fsanitize=memory, of the library, too";
    default: return "no check of a compiler shows it";
    }
}

static const char *pp_gone(enum pp_check check)
{
    if (check == PP_SIGNAL) return "this no longer happens: ";
    return "this no longer happens, if the library has the sanitizers, too: ";
}

__attribute__((noreturn)) static void pp_child(const struct pp_test *test, const char *place)
{
    struct rlimit none = {0, 0}, most = {PP_MEMORY_MOST, PP_MEMORY_MOST};
    pp_now = test;
    setrlimit(RLIMIT_CORE, &none);
    if (!__asan_init && !__msan_init) setrlimit(RLIMIT_AS, &most);
#ifdef M_PERTURB
    mallopt(M_PERTURB, 0xff); /* memory that nobody has written is zero */
#endif
    environ = pp_environment;
    if (chdir(place) || !freopen("/dev/null", "r", stdin)) {
        perror(place);
        _exit(PP_FAILED);
    }
    alarm(PP_SECONDS);
    exit(pp_driver());
}

static int pp_remove(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

/* Says how a test went, and returns that. */
static int pp_say(const struct pp_test *test, int verdict, const char *what, const char *more)
{
    const char *word = verdict == PP_PASSED ? "passed" : verdict == PP_SKIPPED ? "skipped" : "FAILED";
    printf("%s: %s: %s%s\n", test->name, word, what, more);
    if (test->error && verdict != PP_PASSED) printf("    predicted: %s\n", test->error);
    return verdict;
}

static int pp_judge(const struct pp_test *test, int status)
{
    char how[100], predicted[100];
    int died = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    int exited = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (pp_end->is_unfit) return pp_say(test, PP_SKIPPED, "it does not fit the library any more: let Polypath write it anew", "");
    if (pp_end->is_other) return pp_say(test, PP_FAILED, "another result than predicted (above)", "");
    if (died == SIGALRM && test->signal != SIGALRM) return pp_say(test, PP_FAILED, "it did not come to its end", "");
    snprintf(how, sizeof how, died ? "signal %d, %s" : "exit status %d", died ? died : exited, died ? strsignal(died) : "");
    if (test->error) {
        if (died) return pp_say(test, PP_FAILED, how, "");
        if (exited == PP_REPORTED) return pp_say(test, PP_FAILED, "a sanitizer reports the error (above)", "");
        if (pp_is_checked(test->shown_by)) return pp_say(test, PP_PASSED, pp_gone(test->shown_by), test->error);
        return pp_say(test, PP_SKIPPED, "nothing was seen; ", pp_needs(test->shown_by));
    }
    if (died == test->signal && exited == test->status) return pp_say(test, PP_PASSED, how, "");
    if (exited == PP_REPORTED) return pp_say(test, PP_FAILED, "a sanitizer reports an error that was not predicted (above)", "");
    snprintf(predicted, sizeof predicted, test->signal ? ", and signal %d was predicted" : ", and exit status %d was predicted",
             test->signal ? test->signal : test->status);
    return pp_say(test, PP_FAILED, how, predicted);
}

static int pp_run(const struct pp_test *test, int is_marked_run)
{
    char place[] = "/tmp/polypath-XXXXXX";
    int status = 0;
    pid_t child;
    if (test->accepted && !is_marked_run) return pp_say(test, PP_SKIPPED, "accepted: ", test->accepted);
    if (test->condition && !is_marked_run)
        return pp_say(test, PP_SKIPPED, "precondition likely (--marked runs it): it happens if ", test->condition);
    if (!mkdtemp(place)) return pp_say(test, PP_FAILED, "no directory for it: ", strerror(errno));
    pp_end->is_unfit = 0;
    pp_end->is_other = 0;
    fflush(0);
    child = fork();
    if (child == 0) pp_child(test, place);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    nftw(place, pp_remove, 16, FTW_DEPTH | FTW_PHYS);
    if (child < 0) return pp_say(test, PP_FAILED, "no process for it: ", strerror(errno));
    return pp_judge(test, status);
}

int main(int argc, char **argv)
{
    size_t count = sizeof pp_tests / sizeof *pp_tests, ran = 0, failed = 0, skipped = 0;
    int first = 1, is_marked_run = 0, last = PP_FAILED;
    if (argc > first && !strcmp(argv[first], "--marked")) is_marked_run = first++;
    if (argc > first && !strcmp(argv[first], "--list")) {
        for (size_t i = 0; i < count; i++) puts(pp_tests[i].name);
        return 0;
    }
    pp_end = mmap(0, sizeof *pp_end, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pp_end == MAP_FAILED) return perror("mmap"), PP_FAILED;
    for (size_t i = 0; i < count; i++) {
        int is_asked = argc == first;
        for (int k = first; k < argc; k++) is_asked |= !strcmp(argv[k], pp_tests[i].name);
        if (!is_asked) continue;
        last = pp_run(&pp_tests[i], is_marked_run);
        ran++;
        failed += last == PP_FAILED;
        skipped += last == PP_SKIPPED;
    }
    if (ran == 1) return last;
    if (ran == 0) fprintf(stderr, "usage: %s [--marked] [TEST...], or %s --list\n", argv[0], argv[0]);
    printf("%zu tests: %zu passed, %zu failed, %zu skipped\n", ran, ran - failed - skipped, failed, skipped);
    return ran == 0 || failed ? PP_FAILED : PP_PASSED;
}
/*** HEADER ***/
