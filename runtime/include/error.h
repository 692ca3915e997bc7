/* glibc's; the functions are in runtime/glibc/error.c. */
#ifndef _ERROR_H
#define _ERROR_H 1

#ifdef __cplusplus
extern "C" {
#endif

extern void error(int status, int errnum, const char *format, ...) __attribute__((__format__(__printf__, 3, 4)));
extern void error_at_line(int status, int errnum, const char *file, unsigned line, const char *format, ...)
    __attribute__((__format__(__printf__, 5, 6)));
extern void (*error_print_progname)(void);
extern unsigned error_message_count;
extern int error_one_per_line;

#ifdef __cplusplus
}
#endif

#endif
