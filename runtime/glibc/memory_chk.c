/* _FORTIFY_SOURCE: memory and strings. */
#include "check.h"

#include <string.h>
#include <strings.h>

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
    FITS(n, room);
    return memcpy(to, from, n);
}

void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room)
{
    FITS(n, room);
    return (char *)memcpy(to, from, n) + n;
}

void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
    FITS(n, room);
    return memmove(to, from, n);
}

void *__memset_chk(void *to, int byte, size_t n, size_t room)
{
    FITS(n, room);
    return memset(to, byte, n);
}

void __explicit_bzero_chk(void *to, size_t n, size_t room)
{
    FITS(n, room);
    explicit_bzero(to, n);
}

char *__strcpy_chk(char *to, const char *from, size_t room)
{
    size_t n = strlen(from) + 1;
    FITS(n, room);
    return memcpy(to, from, n);
}

char *__stpcpy_chk(char *to, const char *from, size_t room)
{
    size_t n = strlen(from) + 1;
    FITS(n, room);
    return (char *)memcpy(to, from, n) + n - 1;
}

char *__strncpy_chk(char *to, const char *from, size_t n, size_t room)
{
    FITS(n, room);
    return strncpy(to, from, n);
}

char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room)
{
    FITS(n, room);
    return stpncpy(to, from, n);
}

char *__strcat_chk(char *to, const char *from, size_t room)
{
    size_t n = strlen(to) + strlen(from) + 1;
    FITS(n, room);
    return strcat(to, from);
}

char *__strncat_chk(char *to, const char *from, size_t most, size_t room)
{
    size_t n = strlen(to) + strnlen(from, most) + 1;
    FITS(n, room);
    return strncat(to, from, most);
}
