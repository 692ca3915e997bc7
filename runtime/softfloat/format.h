/* One of the three formats: the including file sets FORMAT to 32, 64 or 80 and may do so again.
 *
 * An operation works on three kinds of integers:
 *   MAN   a significand with its leading one at the top bit;
 *   SIG   a result before rounding with its leading one at bit TOP, one below the top bit: the bits below
 *         the precision decide the rounding, the lowest one is sticky;
 *   WIDE  an exact product.
 */
#include "environment.h"

#undef NAME
#undef FRACTION_BITS
#undef EXPONENT_MAX
#undef EXPLICIT_ONE
#undef FLOAT
#undef MAN
#undef MAN_BITS
#undef SIG
#undef SIG_BITS
#undef WIDE
#undef WIDE_BITS

#if FORMAT == 32
#define NAME(name) name##_f32
#define FRACTION_BITS 23
#define EXPONENT_MAX 0xff
#define FLOAT u32
#define MAN u32
#define MAN_BITS 32
#define SIG u32
#define SIG_BITS 32
#define WIDE u64
#define WIDE_BITS 64
#elif FORMAT == 64
#define NAME(name) name##_f64
#define FRACTION_BITS 52
#define EXPONENT_MAX 0x7ff
#define FLOAT u64
#define MAN u64
#define MAN_BITS 64
#define SIG u64
#define SIG_BITS 64
#define WIDE u128
#define WIDE_BITS 128
#else
/* x87: the leading one is part of the encoding, so that some encodings stand for nothing. */
#define NAME(name) name##_f80
#define EXPLICIT_ONE
#define FRACTION_BITS 63
#define EXPONENT_MAX 0x7fff
#define FLOAT struct extended
#define MAN u64
#define MAN_BITS 64
#define SIG u128
#define SIG_BITS 128
#define WIDE u128
#define WIDE_BITS 128
#ifndef SOFT_EXTENDED
#define SOFT_EXTENDED
struct extended {
    u64 significand;
    u16 sign_exponent;
};
#endif
#endif

#ifndef BIAS
#define BIAS (EXPONENT_MAX >> 1)
#define PRECISION (FRACTION_BITS + 1)
#define TOP (SIG_BITS - 2)
/* Bits of SIG below the precision. */
#define ROUND_BITS (SIG_BITS - 1 - PRECISION)
#define ROUND_MASK (((SIG)1 << ROUND_BITS) - 1)
#define ROUND_HALF ((SIG)1 << (ROUND_BITS - 1))
#define PARTS struct NAME(parts)
#endif

/* (-1)^sign * man * 2^(exponent - BIAS - (MAN_BITS - 1)). A subnormal number or zero has exponent 1 and
 * no leading one. */
PARTS
{
    unsigned sign;
    int exponent;
    MAN man;
};
