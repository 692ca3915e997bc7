/* Products: exact in twice the width, then rounded. */

INLINE FLOAT NAME(mul)(struct environment *env, FLOAT a, FLOAT b)
{
    unsigned sign = NAME(sign)(a) ^ NAME(sign)(b);
    if (NAME(is_special)(a) | NAME(is_special)(b)) {
        if (NAME(any_nan)(a, b))
            return NAME(nan_of)(env, a, b);
        if (NAME(is_zero)(a) | NAME(is_zero)(b))
            return NAME(invalid)(env);
        return NAME(infinity)(sign);
    }
    if (NAME(is_zero)(a) | NAME(is_zero)(b))
        return NAME(zero)(sign);
    PARTS x = NAME(normalised)(NAME(unpack)(a)), y = NAME(normalised)(NAME(unpack)(b));
    WIDE product = (WIDE)x.man * y.man;
#if SIG_BITS < WIDE_BITS
    SIG sig = (SIG)(product >> SIG_BITS) | ((SIG)product != 0);
#else
    SIG sig = product;
#endif
    return NAME(round_pack_carry)(env, sign, x.exponent + y.exponent - BIAS, sig);
}
