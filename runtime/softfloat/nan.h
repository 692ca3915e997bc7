/* Which NaN an operation gives: as x86 does it, SSE for binary32 and binary64, x87 for the rest. */

#ifdef EXPLICIT_ONE

/* The quiet one of a quiet and a signalling NaN; of two alike the larger significand, of equal ones the
 * positive sign. (Intel 64 manual, volume 1, table 4-7.) */
INLINE FLOAT NAME(nan_of)(struct environment *env, FLOAT a, FLOAT b)
{
    int nan_a = NAME(is_nan)(a), nan_b = NAME(is_nan)(b);
    int loud_a = NAME(is_signalling)(a), loud_b = NAME(is_signalling)(b);
    int unsupported = NAME(is_unsupported)(a) | NAME(is_unsupported)(b);
    u64 quiet = (u64)1 << 62;
    u64 payload_a = a.significand | quiet, payload_b = b.significand | quiet;
    int larger = payload_a == payload_b ? a.sign_exponent < b.sign_exponent : payload_a > payload_b;
    int both = nan_a & nan_b;
    int first = both ? (loud_a == loud_b ? larger : loud_b) : nan_a;
    FLOAT chosen;
    chosen.significand = first ? a.significand : b.significand;
    chosen.sign_exponent = first ? a.sign_exponent : b.sign_exponent;
    env->flags |= (loud_a | loud_b | unsupported) ? INVALID : 0;
    if (unsupported)
        return NAME(default_nan)();
    return NAME(quiet)(chosen);
}

#else

/* The first NaN among the operands, made quiet. */
INLINE FLOAT NAME(nan_of)(struct environment *env, FLOAT a, FLOAT b)
{
    env->flags |= (NAME(is_signalling)(a) | NAME(is_signalling)(b)) ? INVALID : 0;
    return NAME(quiet)(NAME(is_nan)(a) ? a : b);
}

#endif

/* The answer to an operation without a meaning. */
INLINE FLOAT NAME(invalid)(struct environment *env)
{
    env->flags |= INVALID;
    return NAME(default_nan)();
}

/* Is there a NaN, or what counts as one, among the operands? */
INLINE int NAME(any_nan)(FLOAT a, FLOAT b)
{
    return NAME(is_nan)(a) | NAME(is_nan)(b) | NAME(is_unsupported)(a) | NAME(is_unsupported)(b);
}
