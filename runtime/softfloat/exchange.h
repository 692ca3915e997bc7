/* A float on its way from one format to another. */

#ifndef SOFT_EXCHANGE
#define SOFT_EXCHANGE
struct exchange {
    unsigned sign;
    int nan, infinite, zero;
    /* Of 2^0 is 0. */
    int exponent;
    /* The leading one at the top bit; of a NaN, the payload behind it. */
    u64 man;
};
#endif

INLINE struct exchange NAME(open)(struct environment *env, FLOAT a)
{
    struct exchange x;
    PARTS p = NAME(unpack)(a);
    env->flags |= (NAME(is_signalling)(a) | NAME(is_unsupported)(a)) ? INVALID : 0;
    x.sign = p.sign;
    x.nan = NAME(is_nan)(a);
    x.infinite = NAME(is_special)(a) & !x.nan;
    x.zero = NAME(is_zero)(a);
    x.man = (u64)p.man << (64 - MAN_BITS);
    x.exponent = p.exponent - BIAS;
    if (NAME(is_unsupported)(a)) {
        x.sign = 1;
        x.nan = 1;
        x.man = 0;
    }
    return x;
}

/* A NaN keeps its sign and the upper bits of its payload, and becomes quiet. */
INLINE FLOAT NAME(close_nan)(struct exchange x)
{
#ifdef EXPLICIT_ONE
    return NAME(quiet)(NAME(encode)(x.sign, EXPONENT_MAX, x.man | (u64)1 << 63));
#else
    FLOAT payload = (FLOAT)(x.man << 1 >> (65 - PRECISION));
    return NAME(quiet)(NAME(infinity)(x.sign) | payload);
#endif
}

INLINE FLOAT NAME(close)(struct environment *env, struct exchange x)
{
    if (x.nan)
        return NAME(close_nan)(x);
    if (x.infinite)
        return NAME(infinity)(x.sign);
    if (x.zero)
        return NAME(zero)(x.sign);
    int exponent = x.exponent - normalise(&x.man) + BIAS;
    x.man |= (u64)1 << 63;
#if SIG_BITS == 128
    SIG sig = (SIG)x.man << 63;
#else
    SIG sig = (SIG)shift_right_jam(x.man, 65 - SIG_BITS);
#endif
    return NAME(round_pack)(env, x.sign, exponent, sig);
}
