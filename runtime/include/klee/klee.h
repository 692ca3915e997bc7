/* Intrinsics for programs under test, under the names that KLEE's users know.
 *
 * While Polypath explores a program these are operations of the engine. In a native binary built by
 * `polypath cc` they come from libpolypath.a: symbolic objects take their bytes from the test file
 * named by the environment variable KTEST_FILE (see runtime/native/klee_replay.c). */
#ifndef POLYPATH_KLEE_KLEE_H
#define POLYPATH_KLEE_KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Accesses to [addr, addr + nbytes) are defined, though no allocation of the program covers it. */
void klee_define_fixed_object(void *addr, size_t nbytes);

/* The nbytes at addr, which must be a whole object, become unconstrained input called name. */
void klee_make_symbolic(void *addr, size_t nbytes, const char *name);

/* An unconstrained value in [begin, end). */
int klee_range(int begin, int end, const char *name);

/* An unconstrained int. */
int klee_int(const char *name);

/* Ends the path: quietly and with a test, or as an error of the program with a place and a kind
 * (the suffix becomes part of the error file's name). */
__attribute__((noreturn)) void klee_silent_exit(int status);
__attribute__((noreturn)) void klee_abort(void);
__attribute__((noreturn)) void klee_report_error(const char *file, int line, const char *message, const char *suffix);

/* Number of bytes of the object that starts at ptr. */
size_t klee_get_obj_size(void *ptr);

/* Shows an expression on the log, with the message before it. */
void klee_print_expr(const char *message, ...);

/* An unconstrained value in [0, n), one path for each. */
uintptr_t klee_choose(uintptr_t n);

/* Nonzero if the value depends on input on this path. */
unsigned klee_is_symbolic(uintptr_t n);

/* Nonzero while the program is replayed natively rather than explored. */
unsigned klee_is_replay(void);

/* Only paths on which the condition holds go on. */
void klee_assume(uintptr_t condition);

/* Writes a message to the log. */
void klee_warning(const char *message);
void klee_warning_once(const char *message);

/* This path waits until the others bring nothing new: nothing else is left to explore, or nothing was covered for as long
   as it took until then. Polypath's own. */
void polypath_defer(void);

/* This path has longer arrays and strings than those before: with `--first-look` the run ends here. Polypath's own. */
void polypath_grows(void);

/* The driver of a function has made all that it calls the function with; nonzero if no path came to that before this one asks.
   Natively nonzero: a path that was told otherwise leaves no test. Polypath's own. */
void polypath_made(void);
unsigned polypath_none_made(void);

/* A symbolic object on the heap, whose last byte is zero, ends at its first zero byte from now on: what is beyond that does not
   exist. Returns where it lies. Polypath's own. */
char *polypath_text(char *text);

/* Among the tests that reach this path, rather one in which the condition holds. */
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);

/* The object is shared by the program's environment: kept apart from it when states are compared. */
void klee_mark_global(void *object);

/* A value that satisfies the path so far; the path is not constrained to it. */
float klee_get_valuef(float expr);
double klee_get_valued(double expr);
long klee_get_valuel(long expr);
long long klee_get_valuell(long long expr);
int32_t klee_get_value_i32(int32_t expr);
int64_t klee_get_value_i64(int64_t expr);

/* The whole range must be accessible, else the path ends with an error. */
void klee_check_memory_access(const void *address, size_t size);

/* Forking on symbolic conditions, all paths or this one. */
void klee_set_forking(unsigned enable);

/* Another name for a function, decided at run time: an empty name removes it. */
void klee_alias_function(const char *function, const char *alias);

/* Prints the stack to the log. */
void klee_stack_trace(void);

/* Paths that reach the close after they passed the open may be joined. */
void klee_open_merge(void);
void klee_close_merge(void);

/* errno as the last modelled system call left it. */
int klee_get_errno(void);

#define klee_assert(expr) ((expr) ? (void)0 : klee_report_error(__FILE__, __LINE__, "ASSERTION FAIL: " #expr, "assert.err"))

#ifdef __cplusplus
}
#endif
#endif
