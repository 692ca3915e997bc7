/* _FORTIFY_SOURCE: formatted output, and input into buffers. `flag` forbids %n in writable formats, which is left alone. */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

int __vfprintf_chk(FILE *file, int flag, const char *format, va_list ap) { return vfprintf(file, format, ap); }
int __vprintf_chk(int flag, const char *format, va_list ap) { return vprintf(format, ap); }
int __vdprintf_chk(int fd, int flag, const char *format, va_list ap) { return vdprintf(fd, format, ap); }
int __vasprintf_chk(char **to, int flag, const char *format, va_list ap) { return vasprintf(to, format, ap); }
void __vsyslog_chk(int priority, int flag, const char *format, va_list ap) { vsyslog(priority, format, ap); }

int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, va_list ap)
{
    FITS(n, room);
    return vsnprintf(to, n, format, ap);
}

int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list ap)
{
    if (room > 0x7fffffff) return vsprintf(to, format, ap);
    int length = vsnprintf(to, room, format, ap);
    if (length >= 0) FITS((size_t)length + 1, room);
    return length;
}

#define VARIADIC(type, result, call)                                                                                   \
    {                                                                                                                  \
        va_list ap;                                                                                                    \
        va_start(ap, format);                                                                                          \
        type result = call;                                                                                            \
        va_end(ap);                                                                                                    \
        return result;                                                                                                 \
    }

int __fprintf_chk(FILE *file, int flag, const char *format, ...)
VARIADIC(int, r, vfprintf(file, format, ap))

int __printf_chk(int flag, const char *format, ...)
VARIADIC(int, r, vprintf(format, ap))

int __dprintf_chk(int fd, int flag, const char *format, ...)
VARIADIC(int, r, vdprintf(fd, format, ap))

int __asprintf_chk(char **to, int flag, const char *format, ...)
VARIADIC(int, r, vasprintf(to, format, ap))

int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...)
VARIADIC(int, r, __vsnprintf_chk(to, n, flag, room, format, ap))

int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...)
VARIADIC(int, r, __vsprintf_chk(to, flag, room, format, ap))

void __syslog_chk(int priority, int flag, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsyslog(priority, format, ap);
    va_end(ap);
}

char *__fgets_chk(char *to, size_t room, int n, FILE *file)
{
    FITS(n < 0 ? 0 : n, room);
    return fgets(to, n, file);
}

char *__fgets_unlocked_chk(char *to, size_t room, int n, FILE *file) { return __fgets_chk(to, room, n, file); }

size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *file)
{
    if (size) FIT(count, size, room);
    return fread(to, size, count, file);
}

size_t __fread_unlocked_chk(void *to, size_t room, size_t size, size_t count, FILE *file)
{
    return __fread_chk(to, room, size, count, file);
}

char *__gets_chk(char *to, size_t room)
{
    size_t length = 0;
    int c;
    while ((c = getchar()) != EOF && c != '\n') {
        FITS(length + 2, room);
        to[length++] = c;
    }
    if (c == EOF && (!length || ferror(stdin))) return 0;
    to[length] = 0;
    return to;
}
