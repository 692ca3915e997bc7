/* _FORTIFY_SOURCE: wide characters. Room is counted in wide characters, but for the functions that write bytes. */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

wchar_t *__wmemcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
    FITS(n, room);
    return wmemcpy(to, from, n);
}

wchar_t *__wmempcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
    FITS(n, room);
    return wmemcpy(to, from, n) + n;
}

__attribute__((weak)) wchar_t *wmempcpy(wchar_t *to, const wchar_t *from, size_t n) { return wmemcpy(to, from, n) + n; }

wchar_t *__wmemmove_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
    FITS(n, room);
    return wmemmove(to, from, n);
}

wchar_t *__wmemset_chk(wchar_t *to, wchar_t c, size_t n, size_t room)
{
    FITS(n, room);
    return wmemset(to, c, n);
}

wchar_t *__wcscpy_chk(wchar_t *to, const wchar_t *from, size_t room)
{
    FITS(wcslen(from) + 1, room);
    return wcscpy(to, from);
}

wchar_t *__wcpcpy_chk(wchar_t *to, const wchar_t *from, size_t room)
{
    FITS(wcslen(from) + 1, room);
    return wcpcpy(to, from);
}

wchar_t *__wcsncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
    FITS(n, room);
    return wcsncpy(to, from, n);
}

wchar_t *__wcpncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
    FITS(n, room);
    return wcpncpy(to, from, n);
}

wchar_t *__wcscat_chk(wchar_t *to, const wchar_t *from, size_t room)
{
    FITS(wcslen(to) + wcslen(from) + 1, room);
    return wcscat(to, from);
}

wchar_t *__wcsncat_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
    FITS(wcslen(to) + wcsnlen(from, n) + 1, room);
    return wcsncat(to, from, n);
}

size_t __mbstowcs_chk(wchar_t *to, const char *from, size_t n, size_t room)
{
    if (to) FITS(n, room);
    return mbstowcs(to, from, n);
}

size_t __wcstombs_chk(char *to, const wchar_t *from, size_t n, size_t room)
{
    if (to) FITS(n, room);
    return wcstombs(to, from, n);
}

size_t __mbsrtowcs_chk(wchar_t *to, const char **from, size_t n, mbstate_t *state, size_t room)
{
    if (to) FITS(n, room);
    return mbsrtowcs(to, from, n, state);
}

size_t __mbsnrtowcs_chk(wchar_t *to, const char **from, size_t most, size_t n, mbstate_t *state, size_t room)
{
    if (to) FITS(n, room);
    return mbsnrtowcs(to, from, most, n, state);
}

size_t __wcsrtombs_chk(char *to, const wchar_t **from, size_t n, mbstate_t *state, size_t room)
{
    if (to) FITS(n, room);
    return wcsrtombs(to, from, n, state);
}

size_t __wcsnrtombs_chk(char *to, const wchar_t **from, size_t most, size_t n, mbstate_t *state, size_t room)
{
    if (to) FITS(n, room);
    return wcsnrtombs(to, from, most, n, state);
}

size_t __wcrtomb_chk(char *to, wchar_t c, mbstate_t *state, size_t room)
{
    FITS(to ? MB_CUR_MAX : 0, room);
    return wcrtomb(to, c, state);
}

int __wctomb_chk(char *to, wchar_t c, size_t room)
{
    FITS(to ? MB_CUR_MAX : 0, room);
    return wctomb(to, c);
}

wchar_t *__fgetws_chk(wchar_t *to, size_t room, int n, FILE *file)
{
    FITS(n < 0 ? 0 : n, room);
    return fgetws(to, n, file);
}

wchar_t *__fgetws_unlocked_chk(wchar_t *to, size_t room, int n, FILE *file) { return __fgetws_chk(to, room, n, file); }

int __vfwprintf_chk(FILE *file, int flag, const wchar_t *format, va_list ap) { return vfwprintf(file, format, ap); }
int __vwprintf_chk(int flag, const wchar_t *format, va_list ap) { return vwprintf(format, ap); }

int __vswprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format, va_list ap)
{
    FITS(n, room);
    return vswprintf(to, n, format, ap);
}

int __fwprintf_chk(FILE *file, int flag, const wchar_t *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int r = vfwprintf(file, format, ap);
    va_end(ap);
    return r;
}

int __wprintf_chk(int flag, const wchar_t *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int r = vwprintf(format, ap);
    va_end(ap);
    return r;
}

int __swprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int r = __vswprintf_chk(to, n, flag, room, format, ap);
    va_end(ap);
    return r;
}
