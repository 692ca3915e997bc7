/* What the functions have in common that _FORTIFY_SOURCE calls: glibc's headers put the size of the object that is
 * written to behind the ordinary arguments, or (size_t)-1 where they do not know it.
 *
 * A check that fails ends the program as a failed assertion does, so that an exploration reports it at the call. */
#ifndef POLYPATH_GLIBC_CHECK_H
#define POLYPATH_GLIBC_CHECK_H

#define _GNU_SOURCE
#include <assert.h>
#include <stddef.h>

/* BYTES are written to an object of ROOM bytes by the function that this stands in. */
#define FITS(bytes, room)                                                                                              \
    do                                                                                                                 \
        if ((size_t)(bytes) > (size_t)(room))                                                                          \
            __assert_fail("buffer overflow detected: " #bytes " <= " #room, __FILE__, __LINE__, __func__);             \
    while (0)

/* As FITS for elements of another size, without overflow. */
#define FIT(count, size, room) FITS(count, (size_t)(room) / (size))

#endif
