/* error() and error_at_line() of glibc's <error.h>. The names are not reserved, so the program's own win. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak))

WEAK unsigned error_message_count;
WEAK int error_one_per_line;
WEAK void (*error_print_progname)(void);

static void complain(int status, int error, const char *file, unsigned line, const char *format, va_list ap)
{
    fflush(stdout);
    if (error_print_progname) error_print_progname();
    else fprintf(stderr, "%s:%s", program_invocation_name, file ? "" : " ");
    if (file) fprintf(stderr, "%s:%u: ", file, line);
    vfprintf(stderr, format, ap);
    error_message_count++;
    if (error) fprintf(stderr, ": %s", strerror(error));
    fputc('\n', stderr);
    if (status) exit(status);
}

WEAK void error(int status, int error, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    complain(status, error, 0, 0, format, ap);
    va_end(ap);
}

WEAK void error_at_line(int status, int error, const char *file, unsigned line, const char *format, ...)
{
    static const char *last_file;
    static unsigned last_line;
    if (error_one_per_line) {
        int same = line == last_line && (file == last_file || (file && last_file && !strcmp(file, last_file)));
        if (same) return;
        last_file = file;
        last_line = line;
    }
    va_list ap;
    va_start(ap, format);
    complain(status, error, file, line, format, ap);
    va_end(ap);
}
