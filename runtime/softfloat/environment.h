/* What an operation is done under, and what it reports. */
#ifndef SOFT_ENVIRONMENT_H
#define SOFT_ENVIRONMENT_H

#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef unsigned __int128 u128;

/* Every helper becomes part of the operation that uses it: an operation is one function without calls. */
#define INLINE static inline __attribute__((always_inline))

/* The five directions of IEEE 754. */
enum rounding { NEAREST_EVEN, NEAREST_AWAY, UPWARD, DOWNWARD, TOWARD_ZERO };

/* The five exceptions of IEEE 754. */
enum { INVALID = 1, DIVIDE_BY_ZERO = 2, OVERFLOW = 4, UNDERFLOW = 8, INEXACT = 16 };

struct environment {
    enum rounding rounding;
    unsigned flags;
};

#endif
