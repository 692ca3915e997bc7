/* Quotients by long division: one bit a step, the remainder is sticky. Each step is a comparison and a
 * subtraction, which makes a small circuit; a wide division would be the largest there is. */

INLINE FLOAT NAME(div)(struct environment *env, FLOAT a, FLOAT b)
{
    unsigned sign = NAME(sign)(a) ^ NAME(sign)(b);
    if (NAME(is_special)(a) | NAME(is_special)(b)) {
        if (NAME(any_nan)(a, b))
            return NAME(nan_of)(env, a, b);
        if (!NAME(is_special)(b))
            return NAME(infinity)(sign);
        return NAME(is_special)(a) ? NAME(invalid)(env) : NAME(zero)(sign);
    }
    if (NAME(is_zero)(b)) {
        if (NAME(is_zero)(a))
            return NAME(invalid)(env);
        env->flags |= DIVIDE_BY_ZERO;
        return NAME(infinity)(sign);
    }
    if (NAME(is_zero)(a))
        return NAME(zero)(sign);
    PARTS x = NAME(normalised)(NAME(unpack)(a)), y = NAME(normalised)(NAME(unpack)(b));
    /* The quotient lies in (1/2, 2): its first bit may be zero, hence one bit more than rounding needs. */
    SIG quotient = x.man >= y.man;
    MAN rest = x.man >= y.man ? x.man - y.man : x.man;
    for (int i = 0; i < PRECISION + 1; i++) {
        int out = (int)(rest >> (MAN_BITS - 1));
        rest <<= 1;
        int fits = out | (rest >= y.man);
        rest = fits ? rest - y.man : rest;
        quotient = quotient << 1 | (SIG)fits;
    }
    SIG sig = quotient << (TOP - PRECISION) | (rest != 0);
    return NAME(round_pack_carry)(env, sign, x.exponent - y.exponent + BIAS - 1, sig);
}
