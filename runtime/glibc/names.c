/* glibc's own names for functions of the C library, and small functions that musl leaves out. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

/* Names that are not reserved give way to the program's own. */
#define WEAK __attribute__((weak))

char *__strdup(const char *s) { return strdup(s); }
char *__strndup(const char *s, size_t n) { return strndup(s, n); }
char *__strtok_r(char *s, const char *separators, char **rest) { return strtok_r(s, separators, rest); }
char *__strcasestr(const char *s, const char *part) { return strcasestr(s, part); }
void *__mempcpy(void *to, const void *from, size_t n) { return mempcpy(to, from, n); }
int __memcmpeq(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }
int __strcasecmp(const char *a, const char *b) { return strcasecmp(a, b); }
void __bzero(void *to, size_t n) { memset(to, 0, n); }
int __asprintf(char **to, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int r = vasprintf(to, format, ap);
    va_end(ap);
    return r;
}
size_t __mbrlen(const char *s, size_t n, mbstate_t *state) { return mbrlen(s, n, state); }
long __sysconf(int name) { return sysconf(name); }
int __getpagesize(void) { return getpagesize(); }
pid_t __getpgid(pid_t pid) { return getpgid(pid); }
char *__secure_getenv(const char *name) { return secure_getenv(name); }
int __sigpause(int mask, int is_signal)
{
    sigset_t set;
    if (is_signal) {
        sigprocmask(SIG_BLOCK, 0, &set);
        sigdelset(&set, mask);
    } else {
        sigemptyset(&set);
        memcpy(&set, &mask, sizeof mask);
    }
    return sigsuspend(&set);
}
int __xpg_sigpause(int signal) { return __sigpause(signal, 1); }

_Noreturn void __longjmp_chk(jmp_buf buffer, int value) { longjmp(buffer, value); }

void __assert_perror_fail(int error, const char *file, unsigned line, const char *function)
{
    __assert_fail(strerror(error), file, line, function);
}
void __assert(const char *condition, const char *file, int line) { __assert_fail(condition, file, line, ""); }

/* Ends the program as glibc does; the error is that of a failed assertion. */
void __chk_fail(void) { __assert_fail("buffer overflow detected", __FILE__, __LINE__, __func__); }

WEAK const char *gnu_get_libc_version(void) { return "2.36"; }
WEAK const char *gnu_get_libc_release(void) { return "stable"; }

/* One thread as far as a caller could profit from it. */
char __libc_single_threaded = 0;

WEAK void *rawmemchr(const void *s, int byte)
{
    const unsigned char *p = s;
    while (*p != (unsigned char)byte) p++;
    return (void *)p;
}
void *__rawmemchr(const void *s, int byte) { return rawmemchr(s, byte); }

WEAK wchar_t *wcschrnul(const wchar_t *s, wchar_t c)
{
    while (*s && *s != c) s++;
    return (wchar_t *)s;
}

WEAK char *canonicalize_file_name(const char *path) { return realpath(path, 0); }

WEAK char *getwd(char *to)
{
    return getcwd(to, PATH_MAX);
}

WEAK int group_member(gid_t gid)
{
    if (gid == getgid() || gid == getegid()) return 1;
    int n = getgroups(0, 0);
    gid_t groups[n > 0 ? n : 1];
    n = getgroups(n, groups);
    for (int i = 0; i < n; i++)
        if (groups[i] == gid) return 1;
    return 0;
}
