/* Shifts without branches: how far a number moves is symbolic more often than not. */
#ifndef SOFT_SHIFT_H
#define SOFT_SHIFT_H

#include "environment.h"

/* value >> n for any n >= 0. A one that falls out stays as the lowest bit, so that what is rounded later
 * is still known to be inexact, and on which side of a half it lies. */
#define DEFINE_SHIFT(type, bits)                                  \
    INLINE type shift_right_jam_##type(type value, int n)         \
    {                                                             \
        int by = n < bits - 1 ? n : bits - 1;                     \
        type lost = value & (((type)1 << by) - 1);                \
        return value >> by | (lost != 0);                         \
    }
DEFINE_SHIFT(u32, 32)
DEFINE_SHIFT(u64, 64)
DEFINE_SHIFT(u128, 128)
#define shift_right_jam(value, n)                                                  \
    _Generic((value), u32: shift_right_jam_u32, u64: shift_right_jam_u64,          \
             u128: shift_right_jam_u128)(value, n)

/* Shifts left until the top bit is set and gives the distance; a zero stays, with distance bits - 1. Each
 * step is a comparison and a shift by a constant. */
#define STEP(bits, n)                                  \
    {                                                  \
        int clear = (*value >> (bits - n)) == 0;       \
        *value = clear ? *value << n : *value;         \
        distance += clear ? n : 0;                     \
    }
INLINE int normalise_u32(u32 *value)
{
    int distance = 0;
    STEP(32, 16) STEP(32, 8) STEP(32, 4) STEP(32, 2) STEP(32, 1)
    return distance;
}
INLINE int normalise_u64(u64 *value)
{
    int distance = 0;
    STEP(64, 32) STEP(64, 16) STEP(64, 8) STEP(64, 4) STEP(64, 2) STEP(64, 1)
    return distance;
}
INLINE int normalise_u128(u128 *value)
{
    int distance = 0;
    STEP(128, 64) STEP(128, 32) STEP(128, 16) STEP(128, 8) STEP(128, 4) STEP(128, 2) STEP(128, 1)
    return distance;
}
#define normalise(value)                                                             \
    _Generic((value), u32 *: normalise_u32, u64 *: normalise_u64, u128 *: normalise_u128)(value)

#endif
