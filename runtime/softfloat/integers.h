/* Between floats and integers, as x86-64 code does it: LLVM leaves what does not fit undefined. */

/* |a| cut to an integer, for |a| < 2^64: one right shift. */
INLINE u64 NAME(magnitude)(struct environment *env, PARTS x)
{
    int right = 63 - (x.exponent - BIAS);
    int by = right > 63 ? 63 : right & 63;
    u64 man = (u64)x.man << (64 - MAN_BITS);
    u64 lost = right > 63 ? man : man & (((u64)1 << by) - 1);
    env->flags |= lost ? INEXACT : 0;
    return right > 63 ? 0 : man >> by;
}

/* Towards zero into 16, 32 or 64 bits with a sign, as cvttss2si, cvttsd2si and fistp do it: what does not
 * fit gives the smallest integer. */
INLINE u64 NAME(to_signed)(struct environment *env, FLOAT a, int width)
{
    PARTS x = NAME(unpack)(a);
    struct environment cut = {TOWARD_ZERO, 0};
    u64 magnitude = NAME(magnitude)(&cut, x);
    u64 limit = ((u64)1 << (width - 1)) - 1 + x.sign;
    if ((x.exponent - BIAS > 63) | NAME(is_unsupported)(a) | (magnitude > limit)) {
        env->flags |= INVALID;
        return ~(u64)0 << (width - 1);
    }
    env->flags |= cut.flags;
    return x.sign ? -magnitude : magnitude;
}

/* Into 64 bits without a sign. There is no instruction for it; the code that compilers make of two signed
 * conversions lets negative numbers wrap around. */
INLINE u64 NAME(to_unsigned)(struct environment *env, FLOAT a)
{
    PARTS x = NAME(unpack)(a);
    if ((x.exponent - BIAS == 63) & !x.sign & !NAME(is_unsupported)(a))
        return NAME(magnitude)(env, x);
#ifdef EXPLICIT_ONE
    /* x87 code subtracts 2^63 first where it must: what is left of larger ones is out of range. */
    if (!x.sign & (x.exponent - BIAS > 63) & !NAME(any_nan)(a, a)) {
        env->flags |= INVALID;
        return 0;
    }
#endif
    return NAME(to_signed)(env, a, 64);
}

/* (-1)^sign * magnitude. */
INLINE FLOAT NAME(from_magnitude)(struct environment *env, unsigned sign, u64 magnitude)
{
    if (magnitude == 0)
        return NAME(zero)(0);
    int exponent = BIAS + 63 - normalise(&magnitude);
    magnitude |= (u64)1 << 63;
#if SIG_BITS == 128
    SIG sig = (SIG)magnitude << 63;
#else
    SIG sig = (SIG)shift_right_jam(magnitude, 65 - SIG_BITS);
#endif
    return NAME(round_pack)(env, sign, exponent, sig);
}
INLINE FLOAT NAME(from_unsigned)(struct environment *env, u64 n)
{
    return NAME(from_magnitude)(env, 0, n);
}
INLINE FLOAT NAME(from_signed)(struct environment *env, u64 n)
{
    unsigned sign = (unsigned)(n >> 63);
    return NAME(from_magnitude)(env, sign, sign ? -n : n);
}
