/* Encodings: building them, telling their classes apart, taking them apart. */
#include "shift.h"

#ifdef EXPLICIT_ONE

INLINE FLOAT NAME(encode)(unsigned sign, int exponent, u64 significand)
{
    FLOAT x = {significand, (u16)(sign << 15 | (unsigned)exponent)};
    return x;
}
INLINE unsigned NAME(sign)(FLOAT x) { return x.sign_exponent >> 15; }
INLINE int NAME(exponent)(FLOAT x) { return x.sign_exponent & 0x7fff; }
/* What lies below the leading one. */
INLINE MAN NAME(fraction)(FLOAT x) { return x.significand & ~((u64)1 << 63); }
/* Neither number nor infinity nor NaN: the leading one is missing. */
INLINE int NAME(is_unsupported)(FLOAT x)
{
    return (x.significand >> 63 == 0) & (NAME(exponent)(x) != 0);
}
INLINE int NAME(is_zero)(FLOAT x) { return (x.significand | (u64)NAME(exponent)(x)) == 0; }
INLINE FLOAT NAME(zero)(unsigned sign) { return NAME(encode)(sign, 0, 0); }
INLINE FLOAT NAME(infinity)(unsigned sign) { return NAME(encode)(sign, EXPONENT_MAX, (u64)1 << 63); }
INLINE FLOAT NAME(largest)(unsigned sign) { return NAME(encode)(sign, EXPONENT_MAX - 1, ~(u64)0); }
INLINE FLOAT NAME(default_nan)(void) { return NAME(encode)(1, EXPONENT_MAX, (u64)3 << 62); }
INLINE FLOAT NAME(quiet)(FLOAT x)
{
    return NAME(encode)(NAME(sign)(x), EXPONENT_MAX, x.significand | (u64)1 << 62);
}
INLINE FLOAT NAME(negate_if)(FLOAT x, unsigned flip)
{
    return NAME(encode)(NAME(sign)(x) ^ flip, NAME(exponent)(x), x.significand);
}
/* A subnormal exponent with a leading one, as no operation gives it, is the same as exponent 1. */
INLINE FLOAT NAME(canonical)(FLOAT x)
{
    int exponent = NAME(exponent)(x);
    return NAME(encode)(NAME(sign)(x), exponent == 0 ? (int)(x.significand >> 63) : exponent, x.significand);
}
INLINE PARTS NAME(unpack)(FLOAT x)
{
    int exponent = NAME(exponent)(x);
    PARTS p = {NAME(sign)(x), exponent + (exponent == 0), x.significand};
    return p;
}

#else

INLINE unsigned NAME(sign)(FLOAT x) { return (unsigned)(x >> (MAN_BITS - 1)); }
INLINE int NAME(exponent)(FLOAT x) { return (int)(x >> FRACTION_BITS & EXPONENT_MAX); }
INLINE MAN NAME(fraction)(FLOAT x) { return x & (((FLOAT)1 << FRACTION_BITS) - 1); }
INLINE int NAME(is_unsupported)(FLOAT x) { return (void)x, 0; }
INLINE int NAME(is_zero)(FLOAT x) { return (FLOAT)(x << 1) == 0; }
INLINE FLOAT NAME(zero)(unsigned sign) { return (FLOAT)sign << (MAN_BITS - 1); }
INLINE FLOAT NAME(infinity)(unsigned sign)
{
    return NAME(zero)(sign) | (FLOAT)EXPONENT_MAX << FRACTION_BITS;
}
INLINE FLOAT NAME(largest)(unsigned sign) { return NAME(infinity)(sign) - 1; }
/* x86's answer to an invalid operation: negative, quiet, empty payload. */
INLINE FLOAT NAME(default_nan)(void) { return NAME(infinity)(1) | (FLOAT)1 << (FRACTION_BITS - 1); }
INLINE FLOAT NAME(canonical)(FLOAT x) { return x; }
INLINE FLOAT NAME(quiet)(FLOAT x) { return x | (FLOAT)1 << (FRACTION_BITS - 1); }
INLINE FLOAT NAME(negate_if)(FLOAT x, unsigned flip) { return x ^ NAME(zero)(flip); }
INLINE PARTS NAME(unpack)(FLOAT x)
{
    int exponent = NAME(exponent)(x);
    MAN fraction = NAME(fraction)(x) << (MAN_BITS - PRECISION);
    MAN one = (MAN)(exponent != 0) << (MAN_BITS - 1);
    PARTS p = {NAME(sign)(x), exponent + (exponent == 0), fraction | one};
    return p;
}

#endif

INLINE int NAME(is_nan)(FLOAT x)
{
    return (NAME(exponent)(x) == EXPONENT_MAX) & (NAME(fraction)(x) != 0);
}
INLINE int NAME(is_signalling)(FLOAT x)
{
    return NAME(is_nan)(x) & !(NAME(fraction)(x) >> (FRACTION_BITS - 1));
}
/* Infinity, NaN or unsupported: what arithmetic on significands does not cover. */
INLINE int NAME(is_special)(FLOAT x)
{
    return (NAME(exponent)(x) == EXPONENT_MAX) | NAME(is_unsupported)(x);
}

/* With the leading one at the top bit, whatever the exponent becomes; not for zero. */
INLINE PARTS NAME(normalised)(PARTS p)
{
    p.exponent -= normalise(&p.man);
    p.man |= (MAN)1 << (MAN_BITS - 1); /* which is so already: now it is plain to see */
    return p;
}

/* A significand as SIG, its leading one at TOP. */
INLINE SIG NAME(widen)(MAN man)
{
#if SIG_BITS > MAN_BITS
    return (SIG)man << (TOP - MAN_BITS + 1);
#else
    return man >> 1; /* the precision leaves the lowest bits clear */
#endif
}
